import Bytes
import Gateways
import Kafka
import NIOCore
import Tracking

/// A request with a device's message, until Kafka has acknowledged its record.
///
/// Belongs to the event loop of its hub.
final class DriverUpload {
    enum Outcome: Sendable {
        /// Kafka has it; the answer's JSON.
        case acknowledged(ByteBuffer)
        case limited(milliseconds: Int64)
        case refused(MessageFault)
        /// It is a message of a WebSocket, such as a ping.
        case noRecord
        /// The broker has not acknowledged it in time, or takes no more.
        case unavailable
        case failed(isTooLarge: Bool)
    }

    let driver: String
    /// Where the driver's trip is, as the device says; `nil` where it does not.
    private let tripState: SamplingConditions.Trip?
    private var completion: (@Sendable (Outcome) -> Void)?
    private var deadline: Scheduled<Void>?
    /// The answer for when the record is acknowledged.
    private var body = MessageWriter()

    init(driver: String, tripState: SamplingConditions.Trip?, _ completion: @escaping @Sendable (Outcome) -> Void) {
        self.driver = driver
        self.tripState = tripState
        self.completion = completion
    }

    /// Answers the request, once.
    func answer(_ outcome: Outcome) {
        deadline?.cancel()
        completion?(outcome)
        completion = nil
    }

    /// Reads the message and queues its record.
    func read(_ message: ByteSlice, _ driver: ByteSlice, _ hub: DriverHub) {
        switch hub.reader.read(message, driver: driver) {
        case .locations(let locations):
            describe(locations)
            queue(.locations(locations.value), driver, hub)
        case .tripStatus(let status):
            describe(sequences: nil, unreadable: [], SamplingConditions(trip: .init(status.state)))
            queue(.tripStatus(status), driver, hub)
        case .ping, .pong: answer(.noRecord)
        case .refused(let fault):
            hub.metrics.count(.refused)
            answer(.refused(fault))
        }
    }

    /// Kafka has acknowledged the record, or never will.
    func finish(_ error: KafkaError?) {
        if let error { return answer(.failed(isTooLarge: error.code == .recordTooLarge)) }
        answer(.acknowledged(body.buffer))
    }

    private func queue(_ record: DriverRecord, _ driver: ByteSlice, _ hub: DriverHub) {
        switch hub.write(record, driver: driver, of: self) {
        case .yes:
            let upload = NIOLoopBound(self, eventLoop: hub.loop)
            deadline = hub.loop.scheduleTask(in: TimeAmount(hub.settings.acknowledgementTimeout)) {
                upload.value.answer(.unavailable)
            }
        case .later: answer(.unavailable)
        case .failed(let error):
            hub.metrics.count(.failed)
            finish(error)
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
