import CRdKafka
import Glibc
import Synchronization

/// Lengthens the time between a client's fetches while they return no records.
///
/// For brokers that answer every fetch after its full wait, so that a short wait costs them the same whether records
/// come or not. librdkafka cannot change `fetch.wait.max.ms` of a running client. This delays the thread that is about
/// to read an answer instead; that thread serves one connection, and heartbeats and commits have one of their own.
final class IdleFetchPause: Sendable {
    /// Alike answers in a row after which a client is idle.
    static let idleAnswers = 100
    /// Answers whose sizes differ by less are alike, in bytes: a batch of records has a header of this size.
    ///
    /// Answers without records differ by the name of a topic, which a request that begins within its partitions names
    /// twice. Where answers with records are alike for long, the one after a pause holds more of them and is not.
    static let headerBytes = 61
    /// The protocol's number of a fetch.
    private static let fetch: Int16 = 1

    private let microseconds: UInt32
    private let lastBytes = Atomic<Int>(-IdleFetchPause.headerBytes)
    private let alikeAnswers = Atomic<Int>(0)

    /// How many answers in a row were like the one before them.
    var repetitions: Int { alikeAnswers.load(ordering: .relaxed) }

    init(milliseconds: Int) { microseconds = UInt32(clamping: milliseconds * 1000) }

    /// Registers the pause; clients of `configuration` must not outlive it.
    func install(in configuration: OpaquePointer) {
        let opaque = Unmanaged.passUnretained(self).toOpaque()
        rd_kafka_conf_interceptor_add_on_new(
            configuration, "idle-fetch-pause",
            { client, _, opaque, _, _ in
                rd_kafka_interceptor_add_on_response_received(
                    client, "idle-fetch-pause",
                    { _, _, _, _, request, _, _, bytes, _, error, opaque in
                        guard request == IdleFetchPause.fetch, error == RD_KAFKA_RESP_ERR_NO_ERROR, let opaque else {
                            return RD_KAFKA_RESP_ERR_NO_ERROR
                        }
                        let pause = Unmanaged<IdleFetchPause>.fromOpaque(opaque).takeUnretainedValue()
                        if pause.isIdle(afterAnswerOf: bytes) { usleep(pause.microseconds) }
                        return RD_KAFKA_RESP_ERR_NO_ERROR
                    }, opaque)
            }, opaque)
    }

    /// Counts the answer to a fetch.
    /// - Returns: whether the client is idle, so that its next fetch can wait.
    func isIdle(afterAnswerOf bytes: Int) -> Bool {
        guard abs(bytes - lastBytes.exchange(bytes, ordering: .relaxed)) < Self.headerBytes else {
            alikeAnswers.store(0, ordering: .relaxed)
            return false
        }
        return alikeAnswers.add(1, ordering: .relaxed).newValue >= Self.idleAnswers
    }
}
