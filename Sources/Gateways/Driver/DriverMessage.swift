import Model

/// What a message of a driver's device turned out to be.
package enum DriverMessage {
    /// To be written to `driver.locations.raw`.
    case locations(DeviceLocations)
    /// To be written to `trips` by ``TripStatusMapping/write(_:into:)``.
    case tripStatus(TripMessage)
    /// To be answered with a `pong`.
    case ping
    /// The answer to a `ping`; shows that the device is there.
    case pong
    /// Not to be written; the device is told why.
    case refused(MessageFault)
}
