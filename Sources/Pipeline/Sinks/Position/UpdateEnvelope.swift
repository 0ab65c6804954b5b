import Bytes
import Pipeline

/// What the position sink reads of a rider update; the slices lie in the record's own value.
struct UpdateEnvelope {
    enum Kind {
        case driverLocation, eta, stateChanged, other
    }

    var kind: Kind
    /// `trip:ID` or `route:ID`.
    var channel: ByteSlice
    var event: EventID?
    /// The payload's JSON.
    var payload: ByteSlice

    /// Reads a record of `rider.updates`; `nil` when it is not one.
    init?(_ value: ByteSlice) {
        var type = ByteSlice.empty
        var channel = ByteSlice.empty
        var event = ByteSlice.empty
        var payload = ByteSlice.empty
        var members = JSONMembers(value)
        while let member = members.next() {
            if member.name == "type" {
                type = member.text
            } else if member.name == "channel" {
                channel = member.text
            } else if member.name == "event_id" {
                event = member.text
            } else if member.name == "payload" {
                payload = member.value
            }
        }
        guard !members.isBroken, !type.isEmpty, !channel.isEmpty, payload.count > 1 else { return nil }
        self.channel = channel
        self.event = EventID(event)
        self.payload = payload
        if type == "driver_location" {
            kind = .driverLocation
        } else if type == "eta_update" {
            kind = .eta
        } else if type == "trip_state_changed" {
            kind = .stateChanged
        } else {
            kind = .other
        }
    }
}

extension UpdateEnvelope {
    /// The JSON text of a member of the payload; `nil` where it is absent or null.
    func payloadMember(_ name: StaticString) -> JSONMembers.Member? {
        var members = JSONMembers(payload)
        while let member = members.next() {
            if member.name == name { return member.value == "null" ? nil : member }
        }
        return nil
    }
}
