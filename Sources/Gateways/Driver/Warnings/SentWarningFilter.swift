import Domain

/// Filters warnings that a device has already received since it connected.
struct SentWarningFilter: Sendable {
    private var watermark = Watermark()
    /// Last sent action of each open warning.
    private var open: [DriverWarning.Code: LocationWarning.Action] = [:]

    /// Accepts event ids that restart, as in a recreated topic; open warnings stay known.
    mutating func restart() { watermark = Watermark() }

    /// Records a warning, in the order of the partition.
    ///
    /// - Returns: whether to send it. Repeated records are not sent, nor is the end of a warning that was never sent,
    ///   because that would reveal a withheld detection.
    mutating func shouldSend(_ warning: DriverWarning) -> Bool {
        guard watermark.advance(to: warning.event) else { return false }
        if warning.action == .resolved { return open.removeValue(forKey: warning.code) != nil }
        return open.updateValue(warning.action, forKey: warning.code) != warning.action
    }
}
