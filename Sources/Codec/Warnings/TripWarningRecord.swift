import Model
import Support

/// One record of `trip.warnings`.
///
/// The slices are valid until the reader's next call.
package struct TripWarningRecord {
    package var eventID: EventID
    package var tripID: ByteSlice
    package var driverID: ByteSlice
    package var warning: TripWarning
    /// A sentence for people.
    package var message: ByteSlice
    /// Stream time of the event that raised or ended it.
    package var at: Timestamp
}
