import CRdKafka
import Testing

@testable import Kafka

@Suite("Authentication failures")
struct KafkaAuthenticationFailureTests {
    private let start = ContinuousClock.now
    private let error = KafkaError(.access, "No.", isFatal: true)

    @Test(
        "authentication failures up to 40 s apart belong to one series",
        arguments: [(1_000, true), (39_999, true), (40_000, true), (40_001, false)])
    func series(milliseconds: Int, isSameSeries: Bool) {
        let first = KafkaAuthenticationFailure.adding(error, to: nil, at: start)
        #expect(first.since == start)
        let later = start + .milliseconds(milliseconds)
        #expect(first.isCurrent(at: later) == isSameSeries)
        let second = KafkaAuthenticationFailure.adding(error, to: first, at: later)
        #expect(second.since == (isSameSeries ? start : later))
        #expect(second.latest == later)
    }

    @Test("a disconnect during the TLS handshake is a connection error, an invalid certificate is an access error")
    func failedHandshake() {
        let context = KafkaClientContext { _ in }
        let disconnect = "SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener? (after 2ms)"
        context.handleError(RD_KAFKA_RESP_ERR__SSL, reason: disconnect, client: nil)
        #expect(context.state.withLock { $0.authenticationFailure } == nil)
        #expect(context.state.withLock { $0.connectionError }?.hasPrefix("SSL handshake failed: Disconnected") == true)
        context.handleError(
            RD_KAFKA_RESP_ERR__SSL, reason: "SSL handshake failed: certificate verify failed", client: nil)
        #expect(context.state.withLock { $0.authenticationFailure }?.error.code == .access)
    }
}
