import CRdKafka

/// Settings and callbacks of a client.
struct ClientConfiguration {
    typealias LogCallback = @convention(c) (OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Void
    typealias ErrorCallback =
        @convention(c) (OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void
    typealias RebalanceCallback =
        @convention(c) (
            OpaquePointer?, rd_kafka_resp_err_t, UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?,
            UnsafeMutableRawPointer?
        ) -> Void

    /// Callbacks set on a configuration object, which librdkafka does not give back.
    struct Callbacks {
        var opaque: UnsafeMutableRawPointer?
        var log: LogCallback?
        var error: ErrorCallback?
        var rebalance: RebalanceCallback?
    }

    var callbacks: Callbacks
    private var values: [String: String] = [:]

    /// Reads the properties that the simulation knows from librdkafka's object.
    init(_ conf: OpaquePointer?, _ callbacks: Callbacks) {
        self.callbacks = callbacks
        for name in [
            "group.id", "session.timeout.ms", "heartbeat.interval.ms", "max.poll.interval.ms",
            "partition.assignment.strategy", "linger.ms", "queue.buffering.max.messages", "fetch.wait.max.ms",
            "auto.offset.reset", "client.id",
        ] {
            var text = [CChar](repeating: 0, count: 512)
            var size = text.count
            if rd_kafka_conf_get(conf, name, &text, &size) == RD_KAFKA_CONF_OK {
                values[name] = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
            }
        }
    }

    func text(_ name: String) -> String { values[name] ?? "" }

    /// A property in milliseconds, as nanoseconds.
    func duration(_ name: String) -> Int64 { Int64((Double(text(name)) ?? 0) * 1_000_000) }

    func integer(_ name: String) -> Int { Int(text(name)) ?? 0 }
}
