import Codec

/// How driver-gateway treats drivers' devices.
package struct DriverGatewaySettings: Sendable {
    package var connections = ConnectionSettings(port: 8081, portKey: "SIGHTLINE_DRIVER_PORT")
    /// Messages of one driver.
    package var driverLimit = RateLimit(count: 10, periodMilliseconds: 1000, burst: 60)
    /// Requests and handshakes from one address; `nil` for no limit.
    package var addressLimit: RateLimit?
    /// The header in which a proxy names its client; `nil` where the address of the connection counts.
    package var addressHeader: String?
    /// Records of one WebSocket that are waited for; beyond that it is not read.
    package var windowRecords = 64
    /// How long a request waits for Kafka's acknowledgement.
    package var acknowledgementTimeout = Duration.seconds(10)
    /// The longest message of a device, in bytes: the largest record that the location worker reads.
    package var maximumMessageBytes = RawLimits().batchBytes

    package init() {}
}
