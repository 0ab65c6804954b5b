import Support

/// The names under which the members of a topic's records are accepted, for dead letters and documentation; the readers
/// themselves go by `sl_keys.h`.
///
/// A test reads a record for every name, and compares the list with docs/messages.md and the JSON Schema.
package struct AcceptedNames: Sendable {
    /// One member, and how apps spell it.
    package struct Member: Sendable {
        /// The name in our own documentation, which dead letters call it by.
        package var name: String
        /// Paths from the fix or message, our own first; `a.b` is the member `b` of the object `a`.
        package var spellings: [String]

        init(_ name: String, _ spellings: String...) {
            self.name = name
            self.spellings = spellings
        }
    }

    package var members: [Member]
    /// Objects whose own names say nothing, and members that are read over.
    package var others: [String]

    /// How many unknown names of a record a dead letter lists, and how long each may be in bytes.
    private static let maximumUnknownNames = 5
    private static let maximumNameBytes = 40

    /// What a dead letter says of a member that is missing: under which names it is accepted, and which names of the
    /// record are none that is known.
    ///
    /// Empty for a member that has no list.
    package func note(missing name: String, in value: ByteSlice?) -> String {
        guard let member = members.first(where: { $0.name == name }) else { return "" }
        var text = "; accepted names: " + member.spellings.joined(separator: ", ")
        let unknown = others.isEmpty ? [] : unknownNames(in: value ?? .empty)
        if !unknown.isEmpty { text += "; names of the record that are not known: " + unknown.joined(separator: ", ") }
        return text
    }

    /// The first few different names in a record that are none of these, at any depth, in the order in which they come.
    ///
    /// What a device sends goes on into a header: only names of letters, digits, `_`, `-` and `.` are listed.
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
    /// Of `driver.locations.raw`: a fix, and what may stand around it.
    ///
    /// Members of the payload are not named apart.
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

    /// Of a driver's `trip_status` in `trips`, where they differ from those of the trip service.
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
    /// The path of every name in every object.
    fileprivate func crossed(_ names: String...) -> [String] {
        flatMap { object in names.map { "\(object).\($0)" } }
    }
}
