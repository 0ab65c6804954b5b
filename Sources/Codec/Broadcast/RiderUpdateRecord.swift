import Model
import Support

/// One record of `rider.updates`.
///
/// The channel's bytes are valid until the reader's next call.
package struct RiderUpdateRecord {
    package var eventID: EventID
    /// `trip:ID` or `route:ID`.
    package var channel: ByteSlice
    package var update: RiderUpdate
}
