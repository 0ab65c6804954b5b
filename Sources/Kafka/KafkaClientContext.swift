import CRdKafka
import Synchronization

/// What the client library's callbacks report about one client.
///
/// The library calls back on its own threads (logs) and on the thread that polls (errors, rebalances); everything
/// mutable is behind the mutex.
final class KafkaClientContext: Sendable {
    struct State: Sendable {
        /// The library has said that no broker is connected, and nothing has been heard of one since.
        var isCut = false
        var fatal: KafkaError?
        /// Why brokers do not let us in; `nil` once one has answered.
        var refusal: KafkaAuthenticationFailure?
        /// What the group called this member when it last gave it partitions.
        var memberID: String?
        /// What the library last said about a connection, in its own words; `nil` once a broker has answered.
        var trouble: String?
        /// When a topic that does not exist was last logged as a warning.
        var missingTopicAt: ContinuousClock.Instant?
        var rebalances: [KafkaRebalance] = []
        /// While closing, a rebalance is answered inside its callback, because polling has ended.
        var isClosing = false
    }

    let log: KafkaLogHandler
    let state = Mutex(State())

    init(log: @escaping KafkaLogHandler) { self.log = log }

    /// The context registered with a client.
    ///
    /// The client's owner keeps it alive for as long as the client lives.
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
            context.log(context.thinned(line.withoutNoise))
        }
        rd_kafka_conf_set_error_cb(configuration) { client, code, reason, _ in
            KafkaClientContext.of(client)?.note(
                rd_kafka_resp_err_t(rawValue: code), reason: reason.map { String(cString: $0) }, client: client)
        }
        guard rebalances else { return }
        rd_kafka_conf_set_rebalance_cb(configuration) { client, code, partitions, _ in
            KafkaClientContext.of(client)?.noteRebalance(code, partitions, client: client)
        }
    }

    /// Lowers all but one line in ten seconds of a topic that was deleted, which the library reports at each fetch.
    ///
    /// Without the guard before it (`CRdKafkaGuard`) the library does not come as far as this line.
    func thinned(_ line: KafkaLogLine, at now: ContinuousClock.Instant = .now) -> KafkaLogLine {
        guard line.facility == "METADATAUPDATE", line.text.contains("(null)") else { return line }
        let isNew = state.withLock { state in
            if let last = state.missingTopicAt, last.duration(to: now) < .seconds(10) { return false }
            state.missingTopicAt = now
            return true
        }
        return KafkaLogLine(
            level: isNew ? .warning : .debug, facility: line.facility,
            text: "A topic that is read does not exist; it may have been deleted. Nothing is read from it.")
    }

    func note(_ code: rd_kafka_resp_err_t, reason: String?, client: OpaquePointer?) {
        switch code {
        case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
            state.withLock { $0.isCut = true }
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
            // The library goes on trying; its refusals are all alike until a broker has answered.
            let isNew = state.withLock { state in
                defer { state.refusal = .note(error, after: state.refusal, at: .now) }
                return state.refusal == nil
            }
            log(KafkaLogLine(level: isNew ? .error : .debug, facility: "AUTH", text: error.description))
        default:
            state.withLock { $0.trouble = reason.map(Self.sentence) ?? $0.trouble }
            log(KafkaLogLine(level: .debug, facility: "ERROR", text: reason ?? String(cString: rd_kafka_err2str(code))))
        }
    }

    /// Whether a handshake was cut off instead of refused, as by a balancer whose brokers are all away.
    private static func isDisconnect(_ code: rd_kafka_resp_err_t, _ reason: String?) -> Bool {
        code == RD_KAFKA_RESP_ERR__SSL && reason?.contains("Disconnected") == true
    }

    /// The library's words without how long it took and how often that was, without full stops, and without its guess
    /// at brokers of the year 2015 where it did not understand an answer.
    static func sentence(_ reason: String) -> String {
        let end = reason.firstRange(of: " (after ")?.lowerBound ?? reason.endIndex
        let text = reason[..<end]
        if text.contains("broker version"),
            let guess = text.firstRange(of: ": probably due to") ?? text.firstRange(of: ": might be caused by")
        {
            return text[..<guess.lowerBound]
                + "; what answers there is no Kafka broker, or KAFKA_SECURITY_PROTOCOL does not fit it"
        }
        return String(text.last == "." ? text.dropLast() : text)
    }

    static func text(_ buffer: UnsafeBufferPointer<CChar>) -> String {
        buffer.baseAddress.map { String(cString: $0) } ?? ""
    }

    /// What the group calls this member; empty when it is none.
    private static func memberID(_ client: OpaquePointer?) -> String {
        guard let text = rd_kafka_memberid(client) else { return "" }
        defer { rd_kafka_mem_free(client, text) }
        return String(cString: text)
    }

    private func noteRebalance(
        _ code: rd_kafka_resp_err_t, _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?,
        client: OpaquePointer?
    ) {
        let partitions = list.map { KafkaOffsetList.partitions(of: $0) } ?? []
        let memberID = Self.memberID(client)
        // The library drops its mark of a loss when a change is on its way already; but it forgets the member's name
        // then.
        let isRenamed = state.withLock { $0.memberID.map { $0 != memberID } ?? false }
        let isLost = rd_kafka_assignment_lost(client) != 0 || isRenamed
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

/// A change of the partitions that a group gives to this consumer, to be answered with
/// ``KafkaConsumer/accept(_:positions:)`` or ``KafkaConsumer/release(_:)``.
package struct KafkaRebalance: Sendable {
    package enum Kind: Sendable {
        /// The partitions are this consumer's from now on.
        case assigned
        /// The partitions go to another member as soon as this consumer releases them.
        case revoked
        /// The partitions are gone already; another member may be writing.
        case lost
    }

    package var kind: Kind
    package var partitions: [TopicPartition]
}
