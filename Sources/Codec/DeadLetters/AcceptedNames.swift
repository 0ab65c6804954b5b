import Support

/// Accepted names of a topic's members, for dead letters and documentation; the readers use `CSimdJSON.h`.
///
/// A test reads a record for every name and compares the list with docs/messages.md and the JSON Schema.
package struct AcceptedNames: Sendable {
    package struct Member: Sendable {
        /// The documented name, which dead letters use.
        package var name: String
        /// Paths from the fix or message, the documented one first; `a.b` is the member `b` of the object `a`.
        package var spellings: [String]

        init(_ name: String, _ spellings: String...) {
            self.name = name
            self.spellings = spellings
        }
    }

    package var members: [Member]
    /// Names of enclosing objects and ignored members; if empty, hints omit unknown names.
    package var others: [String]

    /// Limits of the unknown names that a dead letter lists: their number, and the bytes of each.
    private static let maximumUnknownNames = 5
    private static let maximumNameBytes = 40

    /// Returns the hint for a missing member: its accepted names, and unknown names in the record.
    package func hint(missing name: String, in value: ByteSlice?) -> String {
        guard let member = members.first(where: { $0.name == name }) else { return "" }
        var text = "; accepted names: " + member.spellings.joined(separator: ", ")
        let unknown = others.isEmpty ? [] : unknownNames(in: value ?? .empty)
        if !unknown.isEmpty { text += "; unknown names in the record: " + unknown.joined(separator: ", ") }
        return text
    }

    /// Returns the first few unknown names in a record, at any depth, that are valid identifiers.
    private func unknownNames(in value: ByteSlice) -> [String] {
        let known = Set(members.flatMap(\.spellings).flatMap { $0.split(separator: ".").map(String.init) } + others)
        var found: [String] = []
        for member in MemberScanner(value) {
            guard found.count < Self.maximumUnknownNames else { break }
            guard (1...Self.maximumNameBytes).contains(member.name.count), Identifier.isValid(member.name) else {
                continue
            }
            let text = member.name.string
            if !known.contains(text), !found.contains(text) { found.append(text) }
        }
        return found
    }
}

extension AcceptedNames {
    /// Members of `driver.locations.raw`, which may be inside or outside `payload`.
    package static let rawLocations = AcceptedNames(
        members: [
            Member("type", "type"),
            Member("driver_id", "driver_id", "driverId"),
            Member("session_id", "session_id", "sessionId"),
            Member("trip_id", "trip_id", "tripId"),
            Member("sequence", "sequence"),
            Member("id", "id", "message_id", "messageId"),
            Member("latitude", "latitude", "lat") + ["coordinate", "latLng"].crossed("latitude", "lat"),
            Member("longitude", "longitude", "lng") + ["coordinate", "latLng"].crossed("longitude", "lng"),
            Member("timestamp", "timestamp"),
            Member("accuracy_meters", "accuracy_meters", "accuracyMeters", "accuracy", "accuracy.horizontal"),
            Member("heading", "heading") + ["coordinate", "latLng"].crossed("heading"),
            Member("speed_mps", "speed_mps", "speedMps", "speed")
                + ["coordinate", "latLng"].crossed("speed", "speed_mps", "speedMps"),
            Member("altitude_meters", "altitude_meters", "altitudeMeters", "altitude")
                + ["coordinate", "latLng"].crossed("altitude", "altitude_meters", "altitudeMeters"),
            Member("altitude_accuracy_meters", "altitude_accuracy_meters", "accuracy.vertical"),
            Member("heading_accuracy_degrees", "heading_accuracy_degrees", "accuracy.headingAccuracy"),
            Member("speed_accuracy_mps", "speed_accuracy_mps", "accuracy.speedAccuracy"),
            Member("source", "source"),
            Member("integrity", "integrity"),
            Member("is_mock", "is_mock", "isMock"),
            Member("battery_percent", "battery_percent", "batteryPercent", "metadata.batteryLevel"),
            Member("occupancy_percent", "occupancy_percent", "occupancyPercent"),
            Member("is_charging", "is_charging", "isCharging", "metadata.isCharging"),
            Member("network_type", "network_type", "networkType", "metadata.networkType"),
            Member("motion_activity", "motion_activity", "motionActivity", "metadata.motionActivity"),
            Member("locations", "locations"),
        ],
        others: ["payload", "confidence", "signalStrength"])

    /// Members of `trips` that a driver's `trip_status` may spell differently.
    package static let trips = AcceptedNames(
        members: [
            Member("trip_id", "trip_id", "tripId"),
            Member("driver_id", "driver_id", "driverId"),
            Member("state", "state", "status"),
            Member("changed_at", "changed_at", "timestamp"),
        ],
        others: [])
}

extension AcceptedNames.Member {
    fileprivate static func + (left: Self, right: [String]) -> Self {
        var member = left
        member.spellings += right
        return member
    }
}

extension [String] {
    /// Returns the path of every name in every object.
    fileprivate func crossed(_ names: String...) -> [String] { flatMap { object in names.map { "\(object).\($0)" } } }
}
