import Bytes
import Tracking

/// What is written for a device's message; valid as long as the message.
enum DriverRecord {
    /// The value of a record of `driver.locations.raw`.
    case locations(ByteSlice)
    /// A message of `trips`.
    case tripStatus(TripMessage)
}
