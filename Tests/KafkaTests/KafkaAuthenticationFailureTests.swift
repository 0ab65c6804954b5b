import CRdKafka
import Testing

@testable import Kafka

@Suite("Refused logins")
struct KafkaAuthenticationFailureTests {
    private let start = ContinuousClock.now
    private let error = KafkaError(.access, "No.", isFatal: true)

    @Test(
        "those that follow each other within forty seconds are one series, later ones another",
        arguments: [(1_000, true), (39_999, true), (40_000, true), (40_001, false)])
    func series(milliseconds: Int, isSame: Bool) {
        let first = KafkaAuthenticationFailure.note(error, after: nil, at: start)
        #expect(first.since == start)
        let later = start + .milliseconds(milliseconds)
        #expect(first.isCurrent(at: later) == isSame)
        let second = KafkaAuthenticationFailure.note(error, after: first, at: later)
        #expect(second.since == (isSame ? start : later))
        #expect(second.latest == later)
    }

    @Test("a handshake that is cut off is trouble with the connection and no refusal; one that fails is a refusal")
    func cutHandshake() {
        let context = KafkaClientContext { _ in }
        let cut = "SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener? (after 2ms)"
        context.note(RD_KAFKA_RESP_ERR__SSL, reason: cut, client: nil)
        #expect(context.state.withLock { $0.refusal } == nil)
        #expect(context.state.withLock { $0.trouble }?.hasPrefix("SSL handshake failed: Disconnected") == true)
        context.note(RD_KAFKA_RESP_ERR__SSL, reason: "SSL handshake failed: certificate verify failed", client: nil)
        #expect(context.state.withLock { $0.refusal }?.error.code == .access)
    }
}
