import Domain

/// Sentence of a warning: ASCII without quotes, which needs no escapes.
enum WarningMessage {
    static func write(_ warning: LocationWarning, into json: inout JSONCursor) {
        let evidence = warning.evidence
        if warning.action == .resolved { json.literal("Resolved: ") }
        if let distance = evidence.distanceMeters, let seconds = evidence.seconds {
            json.literal("Moved ")
            write(distanceMeters: distance, into: &json)
            json.literal(" in ")
            write(tenths: seconds, into: &json)
            json.literal(" s")
        } else {
            json.literal(sentence(for: warning.reason))
        }
        if let accuracy = evidence.accuracyMeters {
            json.literal(", accuracy ")
            write(tenths: accuracy, into: &json)
            json.literal(" m")
        }
        if let fixes = evidence.fixes, fixes > 1 {
            json.literal(", over ")
            json.integer(fixes)
            json.literal(" fixes")
        }
    }

    private static func write(distanceMeters: Double, into json: inout JSONCursor) {
        if distanceMeters < 1000 {
            json.integer(JSONCursor.rounded(distanceMeters, times: 1) ?? 0)
            json.literal(" m")
        } else {
            write(tenths: distanceMeters / 1000, into: &json)
            json.literal(" km")
        }
    }

    /// Writes exactly one decimal, so that numbers can be compared.
    private static func write(tenths value: Double, into json: inout JSONCursor) {
        let scaled = JSONCursor.rounded(value, times: 10) ?? 0
        if scaled < 0 { json.literal("-") }
        json.integer(Int64(scaled.magnitude / 10))
        json.literal(".")
        json.integer(Int64(scaled.magnitude % 10))
    }

    private static func sentence(for reason: Reasons) -> StaticString {
        switch reason {
        case .nullIsland: "Reported latitude and longitude 0"
        case .sequenceReplay: "Used a sequence number again for another position"
        case .clockSkew: "The device's clock is far off"
        case .rateLimited: "Sent more fixes than allowed"
        case .lowAccuracy: "The reported accuracy is too poor"
        case .impossibleSpeed: "Moved faster than a vehicle can"
        case .teleportation: "Jumped to another place"
        case .mockLocation: "The platform says that the position is mocked"
        case .deviceIntegrity: "The device failed its integrity check"
        case .accuracyAnomaly: "The accuracy does not behave like a receiver's"
        case .replayedTrack: "The track repeats an earlier one"
        case .kinematicAnomaly: "Speed, course or acceleration contradict the positions"
        case .relocated: "Continued at another place after a jump"
        case .gnssDisturbance: "Many drivers of the area are disturbed at once"
        case .suspect: "The recent positions look forged"
        case .flagged: "The positions have looked forged for a while"
        default: "Something is unusual about the positions"
        }
    }
}
