import CSimdJSON
import Domain
import Support

/// Type, channel and parts of a `rider.updates` record that is passed on; the parts are slices of its value.
package struct RiderUpdateEnvelope {
    package var type: RiderUpdateType?
    /// Channel `trip:ID` or `route:ID`.
    package var channel: ByteSlice
    package var event: EventID?
    package var payload: ByteSlice
    /// The JSON of the payload's `route_polyline`, with its quotes; empty if the ETA has none.
    package var routePolyline = ByteSlice.empty
    /// The payload's `state`; empty if the update is not a state change.
    package var state = ByteSlice.empty
    /// The JSON of the payload's `facts`; empty if the state change has none.
    package var facts = ByteSlice.empty
    /// Whether the state change assigned the trip to another driver.
    package var isRematched = false
}

/// Reader of the envelopes of `rider.updates`; use one per thread.
package final class RiderUpdateEnvelopeReader {
    private let parser = JSONParser()
    private let slots = JSONSlots()

    package init() {}

    /// Reads a record; `nil` if it is invalid.
    ///
    /// Parses the payloads of ETAs and state changes; in others, only checks the balance of brackets.
    package func read(_ value: ByteSlice) -> RiderUpdateEnvelope? {
        guard let members = parser.members(of: value, in: slots), let type = members.text(SL_KEY_TYPE),
            let channel = members.text(SL_KEY_CHANNEL), let payload = members[SL_KEY_PAYLOAD],
            payload[0] == UInt8(ascii: "{")
        else { return nil }
        var envelope = RiderUpdateEnvelope(
            type: RiderUpdateType(type), channel: channel, event: members.text(SL_KEY_EVENT_ID).flatMap { EventID($0) },
            payload: payload)
        switch envelope.type {
        case .etaUpdate:
            guard let members = parser.members(of: payload, in: slots) else { return nil }
            envelope.routePolyline = members[SL_KEY_ROUTE_POLYLINE] ?? .empty
        case .tripStateChanged:
            guard let members = parser.members(of: payload, in: slots) else { return nil }
            envelope.state = members.text(SL_KEY_STATE) ?? .empty
            envelope.facts = members[SL_KEY_FACTS] ?? .empty
            envelope.isRematched = members[SL_KEY_REMATCHED].map { $0 == "true" } ?? false
        default: break
        }
        return envelope
    }

    /// Reads the run (`streamId`) and vehicle number of an update on a route's channel; `nil` if either is missing.
    package func vehicle(of payload: ByteSlice) -> (run: ByteSlice, number: ByteSlice)? {
        guard let members = parser.members(of: payload, in: slots), let run = members.text(SL_KEY_STREAM_ID),
            let number = members.text(SL_KEY_VEHICLE_NUMBER_CAMEL)
        else { return nil }
        return (run, number)
    }
}
