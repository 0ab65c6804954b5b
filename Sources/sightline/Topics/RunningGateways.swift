import Recordings
import Redis

/// Finds gateways that run by the keys `gateway:…` in Redis, which each renews while it runs.
///
/// Gateways read topics without a consumer group, so that brokers do not count them.
enum RunningGateways {
    /// Refuses to continue while a gateway runs.
    ///
    /// `skipsRedis`: whether Redis is left out, so that no gateway can be found.
    ///
    /// - Throws: ``InputError`` that names the gateways, or the option that takes the place of the search.
    static func requireNone(_ access: PipelineAccess, skipsRedis: Bool) throws {
        guard !skipsRedis else {
            throw InputError(
                "Without Redis no running gateway can be found. Nothing was deleted. Stop all gateways and give "
                    + "--gateways-stopped.")
        }
        let names = try names(access)
        guard names.isEmpty else {
            throw InputError(
                "Gateways read the topics: \(names.joined(separator: ", ")). Nothing was deleted. Stop all gateways and run "
                    + "this again. A gateway that was killed is listed for up to 30 s.")
        }
    }

    /// The names of the keys, without their prefix and kind.
    private static func names(_ access: PipelineAccess) throws -> [String] {
        let configuration = try access.settings.positionSink()
        let prefix = configuration.keyPrefix
        var names: Set<String> = []
        do {
            try RedisConnection(configuration.redis).scan(prefix: prefix, "gateway:*") { keys in
                names.formUnion(keys.map { String($0.dropFirst(prefix.count + "gateway:".count)) })
            }
        } catch {
            throw InputError(
                "\(error) Nothing was deleted. Where Redis is not used, stop all gateways and give --gateways-stopped and "
                    + "--skip-redis.")
        }
        return names.sorted()
    }
}
