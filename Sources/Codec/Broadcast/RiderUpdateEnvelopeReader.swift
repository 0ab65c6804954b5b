import CSimdJSON
import Model
import Support

/// Reads what a record of `rider.updates` is, and hands out parts of it as they stand; one per thread.
package final class RiderUpdateEnvelopeReader {
    private let parser = JSONParser()
    private let slots = JSONSlots()

    package init() {}

    /// Reads a record; `nil` when it is not one.
    ///
    /// What is inside the payload is checked for balance alone.
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

    /// Reads which run and vehicle a route's update is about, as they stand there; `nil` where it names none.
    package func vehicle(of payload: ByteSlice) -> (run: ByteSlice, number: ByteSlice)? {
        guard let members = parser.members(of: payload, in: slots), let run = members.text(SL_KEY_STREAM_ID),
            let number = members.text(SL_KEY_VEHICLE_NUMBER_CAMEL)
        else { return nil }
        return (run, number)
    }
}
