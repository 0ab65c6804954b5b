import ArgumentParser
import Runtime

/// Takes what drivers' devices send.
package struct DriverGatewayCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "driver-gateway",
        abstract: "Takes locations and trip statuses of drivers' devices over WebSockets and HTTP.",
        discussion: """
            Writes driver.locations.raw and trips, tells the devices what Kafka has acknowledged, and warns drivers of
            what their devices report (driver.warnings). What the trip service says of trips that have no driver is kept in
            Redis, for rider-gateway. Devices show a token with the claim driver, the trip service one with the scope
            trips: set SIGHTLINE_TOKEN_SECRET or SIGHTLINE_TOKEN_JWKS_FILE. Any number of gateways can run side by side.
            All settings come from the environment: see docs/configuration.md, and --check-config for what is in force.
            The protocol is described in docs/driver-gateway.md.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.driverGateway).run(options) { parts in
            let settings = parts.settings
            return DriverGateway(
                names: settings.topicNames, kafka: settings.kafkaConfiguration,
                redis: try settings.redisConfiguration(), keyPrefix: settings.redis.keyPrefix,
                settings: settings.driverGateway,
                tokens: try await TokenVerifier(TokenConfiguration(settings.gateway.tokens)), logger: parts.logger)
        }
    }
}
