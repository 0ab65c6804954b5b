import ArgumentParser
import Runtime

/// Lets riders follow their trips.
package struct RiderGatewayCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "rider-gateway",
        abstract: "Lets riders follow trips and routes over WebSockets, and serves the live map.",
        discussion: """
            Reads rider.updates, only the partitions that its clients need, and the snapshots that position-worker keeps
            in Redis. Clients show a token: set SIGHTLINE_TOKEN_SECRET or SIGHTLINE_TOKEN_JWKS_FILE. Any number of
            gateways can run side by side. All settings come from the environment: see docs/configuration.md, and
            --check-config for what is in force. The protocol is described in docs/gateway.md.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.riderGateway).run(options) { parts in
            let settings = parts.settings
            var server = settings.riderGateway
            server.mapToken = try await settings.mapToken()
            return RiderGateway(
                names: settings.topicNames, kafka: settings.kafkaConfiguration,
                redis: try settings.redisConfiguration(),
                keyPrefix: settings.redis.keyPrefix, settings: server,
                tokens: try await TokenVerifier(TokenConfiguration(settings.gateway.tokens)), logger: parts.logger)
        }
    }
}
