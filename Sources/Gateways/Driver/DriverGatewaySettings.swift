import Codec

/// Settings of driver-gateway.
struct DriverGatewaySettings: Sendable {
    var connections = ConnectionSettings(port: 8081, portKey: "SIGHTLINE_DRIVER_PORT")
    /// Rate limit of a driver's messages.
    var driverLimit = RateLimit(count: 10, periodMilliseconds: 1000, burst: 60)
    /// Rate limit of requests and handshakes per address; `nil` for none.
    var addressLimit: RateLimit?
    /// Header in which a proxy passes the client's address; `nil` to use the address of the connection.
    var addressHeader: String?
    /// Maximum number of unacknowledged records per WebSocket; reading pauses at the limit.
    var windowRecords = 64
    /// Time limit of a request for Kafka's acknowledgement.
    var acknowledgementTimeout = Duration.seconds(10)
    /// Maximum size of a device's message, in bytes: the largest record that the location worker reads.
    var maximumMessageBytes = RawLimits().batchBytes
}
