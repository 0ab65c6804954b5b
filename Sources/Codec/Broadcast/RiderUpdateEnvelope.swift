import Model
import Support

/// A record of `rider.updates` for those who pass it on: what it is and whom it is for, and parts of its JSON.
///
/// The slices lie in the record's own value.
package struct RiderUpdateEnvelope {
    /// `nil` for a type that is not known.
    package var type: RiderUpdateType?
    /// `trip:ID` or `route:ID`.
    package var channel: ByteSlice
    package var event: EventID?
    /// The payload's JSON.
    package var payload: ByteSlice
    /// The JSON of the payload's `route_polyline`, with its quotes; empty where an ETA brings none.
    package var routePolyline = ByteSlice.empty
    /// The payload's `state`; empty where it is no change of state.
    package var state = ByteSlice.empty
    /// The JSON of the payload's `facts`; empty where a change of state brings none.
    package var facts = ByteSlice.empty
    /// Whether a change of state says that another driver has taken the trip over.
    package var isRematched = false
}
