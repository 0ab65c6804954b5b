import Bytes
import Gateways
import Kafka
import NIOCore

/// A request whose records Kafka has not all acknowledged yet.
///
/// Belongs to the event loop of its hub.
class RecordUpload {
    enum Outcome: Sendable {
        /// Kafka has all records; the answer's JSON.
        case acknowledged(ByteBuffer)
        case limited(milliseconds: Int64)
        case refused(MessageFault)
        /// It is a message of a WebSocket, such as a ping.
        case noRecord
        /// The broker has not acknowledged all in time, or takes no more.
        case unavailable
        /// Redis cannot keep the events of trips that have no driver; nothing was written.
        case requestsNotKept
        case failed(isTooLarge: Bool)
    }

    private var completion: (@Sendable (Outcome) -> Void)?
    private var deadline: Scheduled<Void>?
    /// Records that are queued and not acknowledged.
    private var outstanding = 0
    /// The answer for when all records are acknowledged.
    final var body = MessageWriter()

    init(_ completion: @escaping @Sendable (Outcome) -> Void) { self.completion = completion }

    final var isAnswered: Bool { completion == nil }

    /// Answers the request, once.
    final func answer(_ outcome: Outcome) {
        deadline?.cancel()
        completion?(outcome)
        completion = nil
    }

    /// From now on so many records are to be queued; the request is answered when all of them are acknowledged, the first
    /// one fails, or the time is up.
    final func begin(records: Int, _ hub: DriverHub) {
        outstanding = records
        let upload = NIOLoopBound(self, eventLoop: hub.loop)
        deadline = hub.loop.scheduleTask(in: TimeAmount(hub.settings.acknowledgementTimeout)) {
            upload.value.answer(.unavailable)
        }
    }

    /// Queues a record.
    /// - Returns: `false` where it was not queued; the request is answered then.
    @discardableResult
    final func queue(_ record: DriverRecord, _ driver: ByteSlice, _ hub: DriverHub) -> Bool {
        switch hub.write(record, driver: driver, of: self) {
        case .yes: return true
        case .later: answer(.unavailable)
        case .failed(let error):
            hub.metrics.count(.failed)
            finish(error)
        }
        return false
    }

    /// Kafka has acknowledged a record, or never will.
    final func finish(_ error: KafkaError?) {
        if let error { return answer(.failed(isTooLarge: error.code == .recordTooLarge)) }
        outstanding -= 1
        if outstanding == 0 { acknowledge() }
    }

    /// Answers that everything is written.
    final func acknowledge() { answer(.acknowledged(body.buffer)) }
}
