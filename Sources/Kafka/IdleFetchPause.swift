import CRdKafka
import Glibc
import Synchronization

/// Pause between the fetches of a client while they return no records.
///
/// Some brokers respond to every fetch only after its full wait; a short wait then costs many requests even while no
/// records arrive. librdkafka cannot change `fetch.wait.max.ms` of a running client. Therefore, an interceptor delays
/// the thread of a broker connection before it parses a response. Heartbeats and commits are not delayed, because the
/// connection to the group coordinator has a separate thread.
final class IdleFetchPause: Sendable {
    /// Number of consecutive similar responses after which a client is idle.
    static let idleResponses = 100
    /// Size of the header of a record batch, in bytes; responses whose sizes differ by less are similar.
    ///
    /// Responses without records vary by the length of a topic name: librdkafka rotates the
    /// partitions in its requests, and lists a topic twice if a request starts in the middle of its
    /// partitions. Steady traffic may also produce similar responses, but then the first response
    /// after a pause contains more records and is not similar.
    static let batchHeaderBytes = 61
    /// API key of a fetch in the Kafka protocol.
    private static let fetch: Int16 = 1

    private let microseconds: UInt32
    private let lastBytes = Atomic<Int>(-IdleFetchPause.batchHeaderBytes)
    private let similar = Atomic<Int>(0)

    /// Number of consecutive responses that were similar to the previous one.
    var similarResponses: Int { similar.load(ordering: .relaxed) }

    init(milliseconds: Int) { microseconds = UInt32(clamping: milliseconds * 1000) }

    /// Registers the interceptor; the client made from `configuration` must not outlive this object.
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
                        if pause.isIdle(afterResponseOf: bytes) { usleep(pause.microseconds) }
                        return RD_KAFKA_RESP_ERR_NO_ERROR
                    }, opaque)
            }, opaque)
    }

    /// Counts a response of `bytes` bytes to a fetch.
    /// - Returns: whether the client is idle, so that its next fetch can be delayed.
    func isIdle(afterResponseOf bytes: Int) -> Bool {
        guard abs(bytes - lastBytes.exchange(bytes, ordering: .relaxed)) < Self.batchHeaderBytes else {
            similar.store(0, ordering: .relaxed)
            return false
        }
        return similar.add(1, ordering: .relaxed).newValue >= Self.idleResponses
    }
}
