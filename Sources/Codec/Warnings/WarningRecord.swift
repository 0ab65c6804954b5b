import Model
import Support

/// One record of `driver.warnings`.
///
/// The slices are valid until the reader's next call.
package struct WarningRecord {
    package var eventID: EventID
    package var driverID: ByteSlice
    package var warning: LocationWarning
    /// In [0, 1].
    package var risk: Double
    /// A sentence for people.
    package var message: ByteSlice
    /// Receipt of the fix that raised or ended it; stream time, where it ended because no fix came.
    package var at: Timestamp
}
