import Recordings
import Redis

/// A check for running gateways by the keys `gateway:…` in Redis, which gateways renew.
///
/// Gateways have no consumer group, so brokers cannot list them.
enum RunningGateways {
    /// Checks that no gateway runs.
    ///
    /// `skipsRedis`: whether Redis must not be accessed, so that gateways cannot be found.
    /// - Throws: ``InputError`` with the gateways, or with the option that replaces the check.
    static func requireNone(_ access: PipelineAccess, skipsRedis: Bool) throws {
        guard !skipsRedis else {
            throw InputError(
                "Running gateways cannot be found without Redis. Nothing was deleted. Stop all gateways and give "
                    + "--gateways-stopped.")
        }
        let configuration = try access.settings.positionSink()
        let prefix = configuration.keyPrefix
        var names: Set<String> = []
        do {
            try RedisConnection(configuration.redis).scan(prefix: prefix, "gateway:*") { keys in
                names.formUnion(keys.map { String($0.dropFirst(prefix.count + "gateway:".count)) })
            }
        } catch {
            throw InputError(
                "\(error) Nothing was deleted. If Redis is not used, stop all gateways and give --gateways-stopped and "
                    + "--skip-redis.")
        }
        guard names.isEmpty else {
            throw InputError(
                "Gateways are running: \(names.sorted().joined(separator: ", ")). Nothing was deleted. Stop all gateways "
                    + "and run this again. A killed gateway is listed for up to 30 s.")
        }
    }
}
