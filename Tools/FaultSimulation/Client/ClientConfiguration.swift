import CRdKafka

/// Settings and callbacks of a client (`rd_kafka_conf_t`).
final class ClientConfiguration {
    typealias LogCallback = @convention(c) (OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Void
    typealias ErrorCallback =
        @convention(c) (OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void
    typealias RebalanceCallback =
        @convention(c) (
            OpaquePointer?, rd_kafka_resp_err_t, UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?,
            UnsafeMutableRawPointer?
        ) -> Void

    var opaque: UnsafeMutableRawPointer?
    var log: LogCallback?
    var error: ErrorCallback?
    var rebalance: RebalanceCallback?
    private var values: [String: String] = [:]

    func set(_ name: String, to value: String) { values[name] = value }

    func text(_ name: String) -> String { values[name] ?? "" }

    /// A property in milliseconds, as nanoseconds.
    func duration(_ name: String) -> Int64 { Int64((Double(text(name)) ?? 0) * 1_000_000) }

    func integer(_ name: String) -> Int { Int(text(name)) ?? 0 }

    /// Returns an owned handle for the C interface.
    func retained() -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

    static func of(_ handle: OpaquePointer) -> ClientConfiguration {
        Unmanaged<ClientConfiguration>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
    }

    static func release(_ handle: OpaquePointer) {
        Unmanaged<ClientConfiguration>.fromOpaque(UnsafeRawPointer(handle)).release()
    }
}
