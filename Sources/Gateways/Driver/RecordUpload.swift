import Kafka
import NIOCore
import Support

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

    let key: UploadKey
    private var completion: (@Sendable (Outcome) -> Void)?
    private var deadline: Scheduled<Void>?
    /// Records that are queued and not acknowledged.
    private var outstanding = 0
    /// Requests that brought the same message later and wait for its records.
    private var followers: [RecordUpload] = []
    /// The request that this one follows.
    private weak var first: RecordUpload?
    /// The answer for when all records are acknowledged.
    final var body = MessageWriter()

    init(key: UploadKey, _ completion: @escaping @Sendable (Outcome) -> Void) {
        self.key = key
        self.completion = completion
    }

    /// Whether nobody waits for the records.
    final var isAbandoned: Bool { completion == nil && followers.isEmpty }

    /// Answers the request, once.
    final func answer(_ outcome: Outcome) {
        deadline?.cancel()
        completion?(outcome)
        completion = nil
        first?.followers.removeAll { $0 === self }
        first = nil
    }

    /// Answers the request and those that follow it: it is known what became of the records.
    final func settle(_ outcome: Outcome, _ hub: DriverConnectionRegistry) {
        hub.forget(self)
        answer(outcome)
        let followers = followers
        self.followers = []
        for follower in followers { follower.answer(outcome) }
    }

    /// From now on so many records are to be queued; the request is answered when all of them are acknowledged, the first
    /// one fails, or the time is up.
    final func begin(records: Int, _ hub: DriverConnectionRegistry) {
        outstanding = records
        hub.register(self)
        limitTime(hub)
    }

    /// Waits for the records of an earlier request with the same message, and queues none: the client has asked again.
    final func follow(_ first: RecordUpload, _ hub: DriverConnectionRegistry) {
        self.first = first
        first.followers.append(self)
        limitTime(hub)
    }

    private func limitTime(_ hub: DriverConnectionRegistry) {
        let upload = NIOLoopBound(self, eventLoop: hub.loop)
        deadline = hub.loop.scheduleTask(in: TimeAmount(hub.settings.acknowledgementTimeout)) {
            upload.value.answer(.unavailable)
        }
    }

    /// Queues a record.
    /// - Returns: `false` where it was not queued; the request is answered then.
    @discardableResult
    final func queue(_ record: DriverRecord, _ driver: ByteSlice, _ hub: DriverConnectionRegistry) -> Bool {
        switch hub.write(record, driver: driver, of: self) {
        case .yes: return true
        case .later: settle(.unavailable, hub)
        case .failed(let error):
            hub.metrics.count(.failed)
            finish(error, hub)
        }
        return false
    }

    /// Kafka has acknowledged a record, or never will.
    final func finish(_ error: KafkaError?, _ hub: DriverConnectionRegistry) {
        if let error { return settle(.failed(isTooLarge: error.code == .recordTooLarge), hub) }
        outstanding -= 1
        if outstanding == 0 { acknowledge(hub) }
    }

    /// Answers that everything is written.
    final func acknowledge(_ hub: DriverConnectionRegistry) { settle(.acknowledged(body.buffer), hub) }
}
