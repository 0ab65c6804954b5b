import Support

/// A request with a device's message.
final class DriverUpload: RecordUpload {
    let driver: String
    private let deviceState: DeviceState

    init(
        driver: String, _ deviceState: DeviceState, key: UploadKey,
        _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        self.driver = driver
        self.deviceState = deviceState
        super.init(key: key, completion)
    }

    /// Reads the message and queues its record.
    func read(_ message: ByteSlice, _ driver: ByteSlice, _ registry: DriverConnectionRegistry) {
        switch registry.reader.read(message, driver: driver) {
        case .locations(let locations):
            let conditions = deviceState.conditions(
                after: locations, registry.trips(of: self.driver), at: ClientSession.now)
            describe(sequences: locations.sequences, unreadable: locations.unreadable, conditions)
            begin(records: 1, registry)
            queue(.locations(locations.value), driver, registry)
        case .tripStatus(let status):
            let conditions = deviceState.conditions(
                after: status, registry.trips(of: self.driver), at: ClientSession.now)
            describe(sequences: nil, unreadable: [], conditions)
            begin(records: 1, registry)
            queue(.tripStatus(status), driver, registry)
        case .ping, .pong: answer(.noRecord)
        case .refused(let fault):
            registry.metrics.count(.refused)
            answer(.refused(fault))
        }
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
