import Bytes
import Gateways

/// A request with a device's message, until Kafka has acknowledged its record.
final class DriverUpload: RecordUpload {
    let driver: String
    /// Where the driver's trip is, as the device says; `nil` where it does not.
    private let tripState: SamplingConditions.Trip?

    init(
        driver: String, tripState: SamplingConditions.Trip?, key: UploadKey,
        _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        self.driver = driver
        self.tripState = tripState
        super.init(key: key, completion)
    }

    /// Reads the message and queues its record.
    func read(_ message: ByteSlice, _ driver: ByteSlice, _ hub: DriverHub) {
        switch hub.reader.read(message, driver: driver) {
        case .locations(let locations):
            describe(locations)
            begin(records: 1, hub)
            queue(.locations(locations.value), driver, hub)
        case .tripStatus(let status):
            describe(sequences: nil, unreadable: [], SamplingConditions(trip: .init(status.state)))
            begin(records: 1, hub)
            queue(.tripStatus(status), driver, hub)
        case .ping, .pong: answer(.noRecord)
        case .refused(let fault):
            hub.metrics.count(.refused)
            answer(.refused(fault))
        }
    }

    private func describe(_ locations: DeviceLocations) {
        let conditions = tripState.map {
            SamplingConditions(
                trip: $0, speedMetersPerSecond: locations.speedMetersPerSecond,
                batteryPercent: locations.batteryPercent, isCharging: locations.isCharging)
        }
        describe(sequences: locations.sequences, unreadable: locations.unreadable, conditions)
    }

    private func describe(
        sequences: SequenceSpan?, unreadable: [UnreadableFixes], _ conditions: SamplingConditions?
    ) {
        var acknowledged = MessageWriter()
        acknowledged.number("records", 1)
        acknowledged.number("sequence", sequences?.highest)
        acknowledged.text("session", sequences?.session.string ?? "")
        body.object("acknowledged", acknowledged)
        body.unreadable(unreadable)
        body.json("location_config", conditions.map { SamplingAdvice($0).message.readableBytesView })
    }
}
