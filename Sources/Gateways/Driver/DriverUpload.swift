import Support

/// A request with a device's message, until Kafka has acknowledged its record.
final class DriverUpload: RecordUpload {
    let driver: String
    private let situation: DeviceSituation

    init(
        driver: String, _ situation: DeviceSituation, key: UploadKey,
        _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        self.driver = driver
        self.situation = situation
        super.init(key: key, completion)
    }

    /// Reads the message and queues its record.
    func read(_ message: ByteSlice, _ driver: ByteSlice, _ hub: DriverConnectionRegistry) {
        switch hub.reader.read(message, driver: driver) {
        case .locations(let locations):
            let conditions = situation.conditions(after: locations, hub.trips(of: self.driver), at: ClientSession.now)
            describe(sequences: locations.sequences, unreadable: locations.unreadable, conditions)
            begin(records: 1, hub)
            queue(.locations(locations.value), driver, hub)
        case .tripStatus(let status):
            let conditions = situation.conditions(after: status, hub.trips(of: self.driver), at: ClientSession.now)
            describe(sequences: nil, unreadable: [], conditions)
            begin(records: 1, hub)
            queue(.tripStatus(status), driver, hub)
        case .ping, .pong: answer(.noRecord)
        case .refused(let fault):
            hub.metrics.count(.refused)
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
