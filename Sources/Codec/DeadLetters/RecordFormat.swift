/// Names, types and limits of the members that a topic accepts, for the error texts of dead letters.
package struct RecordFormat: Sendable {
    package var names: AcceptedNames
    var recordBytes: Int
    /// Maximum bytes of a record with one fix; `nil` if it has no separate limit.
    var singleBytes: Int?
    /// Maximum number of fixes or stops of a record.
    var elements: Int

    package static let rawLocations = RecordFormat(
        names: .rawLocations, recordBytes: RawLimits.batchBytes, singleBytes: RawLimits.singleBytes,
        elements: RawLimits.batchFixes)
    package static let trips = RecordFormat(
        names: .trips, recordBytes: TripLimits.recordBytes, singleBytes: nil, elements: TripLimits.stops)
}

extension RecordFormat {
    /// Returns the range of a number; `nil` without one.
    ///
    /// A test compares the ranges of a fix's numbers with the reader. `speed_accuracy_mps` and the like have none,
    /// because their invalid values count as unknown.
    static func range(of member: String) -> ClosedRange<Double>? {
        switch member {
        case "latitude", "lat": -90...90
        case "longitude", "lng": -180...180
        case "accuracy", "accuracy_meters", "accuracyMeters", "horizontal": -1e8...1e8
        case "speed", "speed_mps", "speedMps": -1e6...1e6
        case "heading": -36_000...36_000
        case "altitude", "altitude_meters", "altitudeMeters": -1e7...1e7
        case "battery_percent", "batteryPercent", "batteryLevel": -100...100
        case "occupancy_percent", "occupancyPercent": -1000...1000
        case "sequence", "version": 0...9.2e18
        case "queue_position": 0...1
        case "precision": 5...6
        case "distance_meters", "duration_seconds": 0...1e9
        default: nil
        }
    }

    static func isWhole(_ member: String) -> Bool {
        ["sequence", "version", "queue_position", "precision"].contains(member)
    }

    /// Returns the JSON type of a member, or its allowed words.
    static func kind(of member: String) -> String {
        if isWhole(member) { return "a whole number" }
        if range(of: member) != nil { return "a number" }
        switch member {
        case "payload", "coordinate", "latLng", "metadata", "context", "facts", "route", "vehicle": return "an object"
        case "locations": return "an array of fixes, each an object"
        case "stops": return "an array of stops, each an object"
        case "is_mock", "isMock": return "true or false"
        case "timestamp", "changed_at", "scheduled_at": return FaultText.time
        case "kind": return "ride or transit, and for a stop PICKUP, DROPOFF or STOP"
        default: return "text"
        }
    }
}
