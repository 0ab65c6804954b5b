import Kafka
import NIOCore
import Support

/// HTTP request that waits for Kafka to acknowledge its records.
///
/// Use only on the event loop of its registry.
final class RecordUpload {
    /// The response as JSON once all records are acknowledged.
    typealias Outcome = Result<ByteBuffer, RequestError>

    let registry: DriverConnectionRegistry
    let key: UploadKey
    private var completion: (@Sendable (Outcome) -> Void)?
    private var deadline: Scheduled<Void>?
    private var outstanding = 0
    /// Later HTTP requests with the same message, which wait for the records of this request.
    private var duplicates: [RecordUpload] = []
    /// Earlier HTTP request whose records this request waits for; `nil` if this request queued its own records.
    private weak var first: RecordUpload?
    /// Response once all records are acknowledged.
    var body = MessageWriter()

    init(
        _ registry: DriverConnectionRegistry, key: UploadKey, _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        self.registry = registry
        self.key = key
        self.completion = completion
    }

    /// Whether this request and its duplicates have been answered.
    var isAbandoned: Bool { completion == nil && duplicates.isEmpty }

    /// Responds to this request; later calls have no effect.
    func answer(_ outcome: Outcome) {
        deadline?.cancel()
        completion?(outcome)
        completion = nil
        first?.duplicates.removeAll { $0 === self }
        first = nil
    }

    /// Responds to this request and its duplicates.
    func complete(_ outcome: Outcome) {
        registry.unregister(self)
        answer(outcome)
        let duplicates = duplicates
        self.duplicates = []
        for duplicate in duplicates { duplicate.answer(outcome) }
    }

    /// Starts to wait for the acknowledgements of `records` records, up to the time limit.
    func begin(records: Int) {
        outstanding = records
        registry.register(self)
        limitTime()
    }

    /// Waits for the records of an earlier request with the same message instead of queuing them again.
    func join(_ first: RecordUpload) {
        self.first = first
        first.duplicates.append(self)
        limitTime()
    }

    private func limitTime() {
        let upload = NIOLoopBound(self, eventLoop: registry.loop)
        deadline = registry.loop.scheduleTask(in: TimeAmount(registry.shared.settings.acknowledgementTimeout)) {
            upload.value.answer(.failure(.notAcknowledged))
        }
    }

    /// Queues a record.
    /// - Returns: `false` if the record was not queued; in this case the request has been answered.
    @discardableResult
    func queue(_ value: ByteSlice, to target: DriverProducer.Target, _ driver: ByteSlice) -> Bool {
        switch registry.queue(value, to: target, driver: driver, from: .upload(self)) {
        case .queued: return true
        case .queueFull: complete(.failure(.notAcknowledged))
        case .refused(let error):
            registry.metrics.count(.failed)
            finish(error)
        }
        return false
    }

    /// Handles the delivery report of one record; `error` is `nil` if the record is acknowledged.
    func finish(_ error: KafkaError?) {
        if let error { return complete(.failure(error.code == .recordTooLarge ? .recordTooLarge : .notWritten)) }
        outstanding -= 1
        if outstanding == 0 { acknowledge() }
    }

    func acknowledge() { complete(.success(body.buffer)) }

    func refuse(_ fault: MessageFault) {
        registry.metrics.count(.refused)
        complete(.failure(RequestError(fault)))
    }
}

/// Sender and content hash of a message, to recognize retries of a pending request.
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

extension RequestError {
    /// Error for a `ping` or `pong`.
    static let noRecord = RequestError(
        .badRequest, .invalidMessage, "ping and pong are accepted on WebSockets only; send locations or a trip_status.")
    /// Error if Kafka has not acknowledged all records in time, or if the queue is full.
    static let notAcknowledged = unavailable("Kafka has not acknowledged the message; retry.")
    /// Error if Redis could not store the events of trips without a driver; no record was queued.
    static let requestsNotStored = unavailable(
        "Events of trips without a driver cannot be stored; no event of the request was written. Retry.")
    static let recordTooLarge = RequestError(
        .contentTooLarge, .tooLarge, "The message exceeds Kafka's size limit; split the batch.")
    static let notWritten = unavailable("The message could not be written; retry.", .notWritten)

    static func unavailable(_ message: String, _ code: GatewayErrorCode = .tryAgain) -> RequestError {
        RequestError(.serviceUnavailable, code, message, retryAfterSeconds: 2)
    }
}
