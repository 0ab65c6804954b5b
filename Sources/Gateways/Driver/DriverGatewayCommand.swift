import ArgumentParser
import Runtime

package struct DriverGatewayCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "driver-gateway",
        abstract: "Accept locations and trip statuses from drivers' devices over WebSocket and HTTP.",
        discussion: """
            Writes driver.locations.raw and trips, sends Kafka's acknowledgements to the devices, and forwards warnings
            that a driver can act on (driver.warnings). Stores trips without a driver in Redis for rider-gateway.
            Devices need a token with the claim driver, and the trip service needs a token with the scope trips: set
            SIGHTLINE_TOKEN_SECRET or SIGHTLINE_TOKEN_JWKS_FILE. Any number of gateways can run in parallel. All
            settings come from the environment: see docs/configuration.md, and --check-config for the effective values.
            The protocol is described in docs/driver-gateway.md.
            """,
        version: BuildInfo.currentVersion)

    @OptionGroup var options: WorkerOptions

    package init() {}

    package func run() async throws {
        try await WorkerProcess(.driverGateway).run(options) { try DriverGateway($0) }
    }
}
