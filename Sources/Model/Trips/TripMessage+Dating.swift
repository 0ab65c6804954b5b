import Support

extension TripMessage {
    /// The message with a device's time no later than its receipt.
    ///
    /// A phone's clock may be fast, and no message of the trip service would count against next year's.
    package func dated(atLatest receivedAt: Timestamp) -> TripMessage {
        guard isDriverStatus else { return self }
        var message = self
        message.changedAt = min(message.changedAt ?? receivedAt, receivedAt)
        return message
    }
}
