import Kafka
import NIOCore
import Support

/// A request that waits for Kafka to acknowledge its records.
///
/// Use only on the event loop of its registry.
class RecordUpload {
    enum Outcome: Sendable {
        /// All records are acknowledged; the JSON of the response.
        case acknowledged(ByteBuffer)
        case limited(milliseconds: Int64)
        case refused(MessageFault)
        /// A WebSocket message such as `ping`.
        case noRecord
        /// Kafka has not acknowledged all records in time, or the queue is full.
        case unavailable
        /// Redis could not store the events of trips without a driver; nothing was written.
        case requestsNotStored
        case failed(isTooLarge: Bool)
    }

    let key: UploadKey
    private var completion: (@Sendable (Outcome) -> Void)?
    private var deadline: Scheduled<Void>?
    private var outstanding = 0
    /// Later requests with the same message, which wait for the same records.
    private var duplicates: [RecordUpload] = []
    /// The request whose records this one waits for.
    private weak var first: RecordUpload?
    /// Response once all records are acknowledged.
    final var body = MessageWriter()

    init(key: UploadKey, _ completion: @escaping @Sendable (Outcome) -> Void) {
        self.key = key
        self.completion = completion
    }

    /// Whether no request waits for the records any more.
    final var isAbandoned: Bool { completion == nil && duplicates.isEmpty }

    /// Responds to the request; later calls do nothing.
    final func answer(_ outcome: Outcome) {
        deadline?.cancel()
        completion?(outcome)
        completion = nil
        first?.duplicates.removeAll { $0 === self }
        first = nil
    }

    /// Responds to the request and to its duplicates.
    final func complete(_ outcome: Outcome, _ registry: DriverConnectionRegistry) {
        registry.unregister(self)
        answer(outcome)
        let duplicates = duplicates
        self.duplicates = []
        for duplicate in duplicates { duplicate.answer(outcome) }
    }

    /// Starts to wait for `records` acknowledgements; responds when all have arrived, one fails, or the time limit is
    /// reached.
    final func begin(records: Int, _ registry: DriverConnectionRegistry) {
        outstanding = records
        registry.register(self)
        limitTime(registry)
    }

    /// Waits for the records of an earlier request with the same message instead of queuing them again.
    final func join(_ first: RecordUpload, _ registry: DriverConnectionRegistry) {
        self.first = first
        first.duplicates.append(self)
        limitTime(registry)
    }

    private func limitTime(_ registry: DriverConnectionRegistry) {
        let upload = NIOLoopBound(self, eventLoop: registry.loop)
        deadline = registry.loop.scheduleTask(in: TimeAmount(registry.settings.acknowledgementTimeout)) {
            upload.value.answer(.unavailable)
        }
    }

    /// Queues a record.
    /// - Returns: `false` if it was not queued; the request has been answered then.
    @discardableResult
    final func queue(_ record: DriverRecord, _ driver: ByteSlice, _ registry: DriverConnectionRegistry) -> Bool {
        switch registry.write(record, driver: driver, of: self) {
        case .queued: return true
        case .full: complete(.unavailable, registry)
        case .failed(let error):
            registry.metrics.count(.failed)
            finish(error, registry)
        }
        return false
    }

    /// Handles the delivery report of a record.
    final func finish(_ error: KafkaError?, _ registry: DriverConnectionRegistry) {
        if let error { return complete(.failed(isTooLarge: error.code == .recordTooLarge), registry) }
        outstanding -= 1
        if outstanding == 0 { acknowledge(registry) }
    }

    final func acknowledge(_ registry: DriverConnectionRegistry) { complete(.acknowledged(body.buffer), registry) }
}

/// Identifies a message of a sender, to recognize a retry while the first request is pending.
struct UploadKey: Hashable {
    /// Driver id; empty for the trip service.
    let subject: String
    private let byteCount: Int
    private let hash: Int

    init(subject: String, _ body: ByteBuffer) {
        self.subject = subject
        byteCount = body.readableBytes
        var hasher = Hasher()
        body.withUnsafeReadableBytes { hasher.combine(bytes: $0) }
        hash = hasher.finalize()
    }

    /// Returns a number below `count` that is the same for equal messages.
    func number(below count: Int) -> Int { Int(UInt(bitPattern: hash) % UInt(count)) }
}
