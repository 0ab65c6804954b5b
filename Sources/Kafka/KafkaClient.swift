import CRdKafka
import Support

/// Owner of one librdkafka client, whose handle is thread-safe.
package final class KafkaClient {
    let handle: OpaquePointer
    let context: KafkaClientContext
    /// The consumer group; empty for none.
    let group: String
    /// The configuration's ``KafkaConfiguration/advice``.
    private let advice: String
    /// Pause of an idle consumer; retained, because the client's threads call it.
    let idleFetchPause: IdleFetchPause?
    private var isDestroyed = false

    /// Creates a client; the properties of `configuration` override `properties`.
    init(
        _ kind: rd_kafka_type_t, _ configuration: KafkaConfiguration, properties: [(String, String)], events: Int32 = 0,
        rebalances: Bool = false, log: @escaping KafkaLogHandler
    ) throws(KafkaError) {
        context = KafkaClientContext(log: log)
        advice = configuration.advice
        let pause = configuration.idleFetchPauseMilliseconds
        idleFetchPause = kind == RD_KAFKA_CONSUMER && pause > 0 ? IdleFetchPause(milliseconds: pause) : nil
        _ = try KafkaLibrary.check()
        group = properties.last { $0.0 == "group.id" }?.1 ?? ""
        let conf: OpaquePointer = rd_kafka_conf_new()
        do throws(KafkaError) {
            for (name, value) in Self.common(configuration) + properties { try Self.set(conf, name, value) }
            for (name, value) in configuration.properties.sorted(by: { $0.key < $1.key }) {
                try Self.set(conf, name, value, from: configuration.variables[name])
            }
        } catch {
            rd_kafka_conf_destroy(conf)
            throw error
        }
        context.install(in: conf, rebalances: rebalances)
        idleFetchPause?.install(in: conf)
        if events != 0 { rd_kafka_conf_set_events(conf, events) }
        var text = [CChar](repeating: 0, count: 512)
        guard let handle = rd_kafka_new(kind, conf, &text, text.count) else {
            rd_kafka_conf_destroy(conf)
            throw KafkaError(
                .configuration,
                "The Kafka client rejected its settings: \(text.withUnsafeBufferPointer(KafkaClientContext.text)).",
                isFatal: true)
        }
        self.handle = handle
    }

    deinit { destroy() }

    /// Destroys the client; only the first call has an effect.
    ///
    /// - Parameter abruptly: whether to skip leaving the group.
    func destroy(abruptly: Bool = false) {
        guard !isDestroyed else { return }
        isDestroyed = true
        rd_kafka_destroy_flags(handle, abruptly ? RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE : 0)
    }

    /// Returns the queue of a consumer's events, which the caller must destroy.
    func consumerQueue() throws(KafkaError) -> OpaquePointer {
        rd_kafka_poll_set_consumer(handle)
        if let queue = rd_kafka_queue_get_consumer(handle) { return queue }
        throw KafkaError(.configuration, "The client has no group; check the property group.id.", isFatal: true)
    }

    private static func common(_ configuration: KafkaConfiguration) -> [(String, String)] {
        [
            ("bootstrap.servers", configuration.bootstrapServers), ("client.id", configuration.clientID),
            ("log.connection.close", "false"), ("allow.auto.create.topics", "false"),
            ("socket.nagle.disable", "true"), ("reconnect.backoff.ms", "100"), ("reconnect.backoff.max.ms", "2000"),
        ]
    }

    /// Sets a property; `variable` is the environment variable that contains the value, if any.
    private static func set(
        _ conf: OpaquePointer, _ name: String, _ value: String, from variable: String? = nil
    ) throws(KafkaError) {
        var text = [CChar](repeating: 0, count: 512)
        switch rd_kafka_conf_set(conf, name, value, &text, text.count) {
        case RD_KAFKA_CONF_OK: return
        default:
            let origin = variable.map { " (\($0))" } ?? ""
            let reason = text.withUnsafeBufferPointer(KafkaClientContext.text)
            throw KafkaError(
                .configuration, "The Kafka property \(name)\(origin) was rejected: \(reason).", isFatal: true)
        }
    }
}

extension KafkaClient {
    /// The error that made the client unusable; `nil` if it is usable.
    var fatalError: KafkaError? { context.state.withLock { $0.fatal } }

    /// Whether all brokers were reported down, and none has responded since; see ``markConnected()``.
    var isDisconnected: Bool { context.state.withLock { $0.isDisconnected } }

    /// Clears ``isDisconnected`` and the connection errors after a response of a broker.
    func markConnected() {
        context.state.withLock { state in
            state.isDisconnected = false
            state.authenticationFailure = nil
            state.connectionError = nil
        }
    }

    /// The client's rejections, if all brokers are down and the last rejection is recent; else
    /// `nil`.
    var authenticationFailure: KafkaAuthenticationFailure? {
        context.state.withLock { state in
            guard state.isDisconnected, let failure = state.authenticationFailure, failure.isCurrent() else {
                return nil
            }
            return failure
        }
    }

    /// Returns the rejection behind an unanswered request, or `error` with more details.
    func explained(_ error: KafkaError) -> KafkaError {
        guard error.code == .unreachable || error.code == .timedOut else { return error }
        // Polling calls the error callback. A consumer is polled by its owner.
        if rd_kafka_type(handle) == RD_KAFKA_PRODUCER { rd_kafka_poll(handle, 0) }
        let (rejection, reason) = context.state.withLock { ($0.authenticationFailure?.error, $0.connectionError) }
        if let rejection { return rejection }
        var explained = error
        if !advice.isEmpty, explained.message.hasSuffix(KafkaError.addressAdvice) {
            explained.message = explained.message.dropLast(KafkaError.addressAdvice.count) + "."
        }
        if let reason { explained.message += " The last attempt: \(reason)." }
        if !advice.isEmpty { explained.message += " \(advice)" }
        return explained
    }
}
