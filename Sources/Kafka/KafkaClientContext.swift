import CRdKafka
import Synchronization

/// State of one client, updated by librdkafka's callbacks.
///
/// Log callbacks run on librdkafka's threads, those for errors and rebalances on the polling thread.
final class KafkaClientContext: Sendable {
    struct State: Sendable {
        /// Whether librdkafka reported all brokers down, and none has responded since.
        var isDisconnected = false
        var fatal: KafkaError?
        /// Rejections of the client; `nil` after a response of a broker.
        var authenticationFailure: KafkaAuthenticationFailure?
        /// The member id at the last assignment; `nil` before the first.
        var memberID: String?
        /// librdkafka's last connection error; `nil` after a response of a broker.
        var connectionError: String?
        /// Time of the last warning about a missing topic.
        var missingTopicAt: ContinuousClock.Instant?
        var rebalances: [KafkaRebalance] = []
        /// Whether the callback must answer rebalances, because polling has ended.
        var isClosing = false
    }

    let log: KafkaLogHandler
    let state = Mutex(State())

    init(log: @escaping KafkaLogHandler) { self.log = log }

    /// Returns the context registered with a client; the client's owner retains it.
    static func of(_ client: OpaquePointer?) -> KafkaClientContext? {
        guard let client, let opaque = rd_kafka_opaque(client) else { return nil }
        return Unmanaged<KafkaClientContext>.fromOpaque(opaque).takeUnretainedValue()
    }

    /// Registers this context and its callbacks.
    func install(in configuration: OpaquePointer, rebalances: Bool) {
        rd_kafka_conf_set_opaque(configuration, Unmanaged.passUnretained(self).toOpaque())
        rd_kafka_conf_set_log_cb(configuration) { client, level, facility, text in
            guard let context = KafkaClientContext.of(client), let facility, let text else { return }
            let line = KafkaLogLine(
                level: KafkaLogLine.Level(syslog: level), facility: String(cString: facility),
                text: String(cString: text))
            context.log(context.rateLimited(line.withoutNoise))
        }
        rd_kafka_conf_set_error_cb(configuration) { client, code, reason, _ in
            KafkaClientContext.of(client)?.handleError(
                rd_kafka_resp_err_t(rawValue: code), reason: reason.map { String(cString: $0) }, client: client)
        }
        guard rebalances else { return }
        rd_kafka_conf_set_rebalance_cb(configuration) { client, code, partitions, _ in
            KafkaClientContext.of(client)?.handleRebalance(code, partitions, client: client)
        }
    }

    /// Rewrites a line about a deleted topic: as a warning once in 10 s, as debug in between.
    ///
    /// librdkafka logs such a line at each fetch. Without `CRdKafkaGuard`, librdkafka crashes
    /// before logging the line.
    func rateLimited(_ line: KafkaLogLine, at now: ContinuousClock.Instant = .now) -> KafkaLogLine {
        guard line.facility == "METADATAUPDATE", line.text.contains("(null)") else { return line }
        let isNew = state.withLock { state in
            if let last = state.missingTopicAt, last.duration(to: now) < .seconds(10) { return false }
            state.missingTopicAt = now
            return true
        }
        return KafkaLogLine(
            level: isNew ? .warning : .debug, facility: line.facility,
            text: "A consumed topic does not exist; it may have been deleted.")
    }

    func handleError(_ code: rd_kafka_resp_err_t, reason: String?, client: OpaquePointer?) {
        switch code {
        case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
            state.withLock { $0.isDisconnected = true }
        case RD_KAFKA_RESP_ERR__FATAL:
            var text = [CChar](repeating: 0, count: 512)
            let original = rd_kafka_fatal_error(client, &text, text.count)
            var error = KafkaError(original, while: "The Kafka client", detail: text.withUnsafeBufferPointer(Self.text))
            error.isFatal = true
            error.isRetriable = false
            state.withLock { $0.fatal = error }
        case RD_KAFKA_RESP_ERR__AUTHENTICATION,
            RD_KAFKA_RESP_ERR__SSL where !Self.isDisconnect(code, reason):
            let error = KafkaError(
                code, while: code == RD_KAFKA_RESP_ERR__SSL ? "Securing the connection" : "Logging in to the broker",
                detail: reason.map(Self.sentence))
            // librdkafka retries, so only the first rejection since the last response is logged as an error.
            let isNew = state.withLock { state in
                defer { state.authenticationFailure = .adding(error, to: state.authenticationFailure, at: .now) }
                return state.authenticationFailure == nil
            }
            log(KafkaLogLine(level: isNew ? .error : .debug, facility: "AUTH", text: error.description))
        default:
            state.withLock { $0.connectionError = reason.map(Self.sentence) ?? $0.connectionError }
            log(KafkaLogLine(level: .debug, facility: "ERROR", text: reason ?? String(cString: rd_kafka_err2str(code))))
        }
    }

    /// Returns whether a TLS handshake was interrupted, not rejected (load balancer without
    /// brokers).
    private static func isDisconnect(_ code: rd_kafka_resp_err_t, _ reason: String?) -> Bool {
        code == RD_KAFKA_RESP_ERR__SSL && reason?.contains("Disconnected") == true
    }

    /// Returns librdkafka's error text without durations, counts, full stop and its guess about old brokers.
    static func sentence(_ reason: String) -> String {
        let end = reason.firstRange(of: " (after ")?.lowerBound ?? reason.endIndex
        let text = reason[..<end]
        if text.contains("broker version"),
            let guess = text.firstRange(of: ": probably due to") ?? text.firstRange(of: ": might be caused by")
        {
            return text[..<guess.lowerBound]
                + "; the server is not a Kafka broker, or KAFKA_SECURITY_PROTOCOL is wrong"
        }
        return String(text.last == "." ? text.dropLast() : text)
    }

    static func text(_ buffer: UnsafeBufferPointer<CChar>) -> String {
        buffer.baseAddress.map { String(cString: $0) } ?? ""
    }

    /// Returns the member id; empty if the client is not a member.
    private static func memberID(_ client: OpaquePointer?) -> String {
        guard let text = rd_kafka_memberid(client) else { return "" }
        defer { rd_kafka_mem_free(client, text) }
        return String(cString: text)
    }

    private func handleRebalance(
        _ code: rd_kafka_resp_err_t, _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?,
        client: OpaquePointer?
    ) {
        let partitions = list.map { KafkaOffsetList.partitions(of: $0) } ?? []
        let memberID = Self.memberID(client)
        // If another rebalance is pending, librdkafka no longer reports the assignment as lost, but the member id has
        // changed.
        let hasNewMemberID = state.withLock { $0.memberID.map { $0 != memberID } ?? false }
        let isLost = rd_kafka_assignment_lost(client) != 0 || hasNewMemberID
        let kind: KafkaRebalance.Kind =
            code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS ? .assigned : isLost ? .lost : .revoked
        let isClosing = state.withLock { state in
            if kind == .assigned { state.memberID = memberID }
            if !state.isClosing { state.rebalances.append(KafkaRebalance(kind: kind, partitions: partitions)) }
            return state.isClosing
        }
        guard isClosing else { return }
        let isCooperative = rd_kafka_rebalance_protocol(client).map { String(cString: $0) == "COOPERATIVE" } ?? false
        if kind != .assigned, isCooperative, let list {
            if let error = rd_kafka_incremental_unassign(client, list) { rd_kafka_error_destroy(error) }
        } else {
            rd_kafka_assign(client, nil)
        }
    }
}

/// Rebalance to be answered with ``KafkaConsumer/accept(_:positions:)`` or ``KafkaConsumer/release(_:)``.
package struct KafkaRebalance: Sendable {
    package enum Kind: Sendable {
        case assigned
        /// The partitions are reassigned after this consumer releases them.
        case revoked
        /// The partitions are already reassigned; another member may be writing.
        case lost
    }

    package var kind: Kind
    package var partitions: [TopicPartition]
}
