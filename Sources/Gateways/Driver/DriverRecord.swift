import Model
import Support

/// What is written for a message of a device or of the trip service; valid as long as the message.
enum DriverRecord {
    /// The value of a record of `driver.locations.raw`.
    case locations(ByteSlice)
    /// A message of `trips`.
    case tripStatus(TripMessage)
    /// The value of a record of `trips`, from the trip service.
    case trip(ByteSlice)
}
