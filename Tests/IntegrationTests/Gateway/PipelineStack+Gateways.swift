import ChildProcesses
import Redis

extension PipelineStack {
    /// Gateway process and the port at which its clients connect.
    struct Gateway {
        let worker: Worker
        let port: UInt16
        /// Settings of the gateway in addition to the settings of the stack.
        let settings: [String: String]

        var address: String { "127.0.0.1:\(port)" }
        /// URL of the gateway's metrics.
        var metrics: String { "http://127.0.0.1:\(worker.port)/metrics" }
        var program: Program { worker.program }
    }

    /// Starts rider-gateway with the tests' token secret, and waits until it is ready.
    @discardableResult
    func startRiderGateway(_ settings: [String: String] = [:]) async throws -> Gateway {
        try await startGateway("rider-gateway", portSetting: "SIGHTLINE_RIDER_PORT", settings)
    }

    /// Starts driver-gateway with the tests' token secret, and waits until it is ready.
    @discardableResult
    func startDriverGateway(_ settings: [String: String] = [:]) async throws -> Gateway {
        try await startGateway("driver-gateway", portSetting: "SIGHTLINE_DRIVER_PORT", settings)
    }

    private func startGateway(
        _ name: String, portSetting: String, _ extra: [String: String]
    ) async throws -> Gateway {
        let port = try FreePort.find()
        let settings = [portSetting: String(port), "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret]
            .merging(extra) { $1 }
        return Gateway(worker: try await start(name, extra: settings), port: port, settings: settings)
    }

    var redisPrefix: String { environment["SIGHTLINE_REDIS_PREFIX"] ?? "" }
    var bootstrapServers: String { environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "" }

    func connectToRedis() throws -> RedisConnection {
        try RedisConnection(RedisConfiguration(url: environment["REDIS_URL"] ?? ""))
    }

    /// Returns all current records of a topic, which is named without the prefix.
    func records(_ topic: String, partitions: Int) throws -> [WrittenRecord] {
        try WrittenRecord.all(of: "\(name).\(topic)", on: bootstrapServers, partitions: partitions)
    }
}
