import Bytes
import CSimdJSON
import Pipeline

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

    /// The vehicle that the payload of a `vehicle_position` is about, as it stands there; `nil` where it names none.
    package func vehicleNumber(of payload: ByteSlice) -> ByteSlice? {
        parser.members(of: payload, in: slots)?.text(SL_KEY_VEHICLE_NUMBER_CAMEL)
    }
}
