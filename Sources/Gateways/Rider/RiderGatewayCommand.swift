import ArgumentParser
import Runtime

/// Runs rider-gateway.
package struct RiderGatewayCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "rider-gateway",
        abstract: "Serve trip and route updates over WebSockets and HTTP, and the live map.",
        discussion: """
            Reads the partitions of rider.updates that its clients need, and the state that position-worker stores in
            Redis. Clients need a token: set SIGHTLINE_TOKEN_SECRET or SIGHTLINE_TOKEN_JWKS_FILE. Any number of
            gateways can run in parallel. All settings come from environment variables: see docs/configuration.md,
            or print the effective ones with --check-config. docs/gateway.md describes the protocol.
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
