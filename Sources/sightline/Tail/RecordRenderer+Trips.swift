import Codec
import Domain
import Processing

/// Entries of trips, arrival times and rider updates.
extension RecordRenderer {
    func tripEntry(_ record: InputRecord) -> TailEntry? {
        guard let value = record.value else {
            var entry = TailEntry(details: "no trip (tombstone)")
            entry.driver = record.key.string
            return entry
        }
        guard let trip = readTrip(key: record.key, value: value) else { return nil }
        var parts = ["\(trip.kind == .ride ? "ride" : "transit") with \(pluralize(trip.stops.count, "stop"))"]
        if let distance = trip.route?.distanceMeters { parts.append("\(Self.tenths(distance / 1000)) km planned") }
        if let routeID = trip.routeID { parts.append("route \(routeID)") }
        var entry = TailEntry(
            cells: [trip.tripID, "\(trip.state.code)", trip.version.map { "v\($0)" } ?? ""],
            details: parts.joined(separator: "  "))
        entry.driver = record.key.string
        entry.trips = [trip.tripID]
        return entry
    }

    static func entry(_ eta: TripEta, _ event: EventID) -> TailEntry {
        var parts: [String] = []
        if let next = eta.stops.first(where: { $0.id == eta.nextStopID })
            ?? eta.stops.first(where: { $0.status == .valid })
        {
            parts.append(text(next))
        }
        if let last = eta.stops.last, last.id != eta.nextStopID { parts.append(text(last)) }
        if eta.isHalted { parts.append("halted") }
        if eta.isStale { parts.append("stale") }
        if eta.isOffRoute { parts.append("off route") }
        var entry = TailEntry(
            cells: ["\(event)", eta.driverID, "\(eta.state.code)"], details: parts.joined(separator: "  "))
        entry.driver = eta.driverID
        entry.trips = [eta.tripID]
        if eta.isStale || eta.isOffRoute { entry.highlight = (2, .yellow) }
        return entry
    }

    static func entry(_ record: TripWarningRecord) -> TailEntry {
        let isOver = record.warning.endedAt != nil
        let code = "\(record.warning.code.code)"
        var entry = TailEntry(
            cells: ["\(record.eventID)", record.driverID.string, code, isOver ? "resolved" : "begins"],
            details: record.message.string)
        entry.driver = record.driverID.string
        entry.trips = [record.tripID.string]
        entry.reasons = [code]
        entry.highlight = (3, isOver ? .green : .yellow)
        return entry
    }

    static func entry(_ record: RiderUpdateRecord) -> TailEntry {
        let (type, details) = text(record.update)
        var entry = TailEntry(cells: ["\(record.eventID)", type], details: details)
        let channel = record.channel.string
        if channel.hasPrefix("trip:") { entry.trips = [String(channel.dropFirst("trip:".count))] }
        return entry
    }

    private static func text(_ update: RiderUpdate) -> (type: String, details: String) {
        switch update {
        case .driverLocation(let update):
            let stale = update.staleSeconds > 0 ? "  \(update.staleSeconds) s old" : ""
            return (
                "driver_location", "\(text(update.coordinate))  \(tenths(update.speedMetersPerSecond)) m/s\(stale)"
            )
        case .eta(let update): return ("eta_update", update.stops.map(text).joined(separator: "  "))
        case .stateChanged(let change):
            let from = change.previousState.map { "\($0.code) → " } ?? ""
            return ("trip_state_changed", "\(from)\(change.stage?.code ?? change.state.code)")
        case .vehiclePosition(let update):
            return (
                "vehicle_position", "\(update.vehicleNumber)  \(text(update.coordinate))  next \(update.nextStopID)"
            )
        case .vehicleLeft(let vehicle):
            return ("vehicle_left", "\(vehicle.vehicleNumber)  \(vehicle.state.code)")
        case .notification(let notification):
            return ("notification", "\(notification.kind)  \(notification.priority)")
        }
    }

    private static func text(_ stop: TripEta.Stop) -> String {
        guard stop.status == .valid, let seconds = stop.seconds else { return "\(stop.id) \(stop.status)" }
        var text = "\(stop.id) in \(seconds) s"
        if let least = stop.minSeconds, let most = stop.maxSeconds { text += " (\(least)–\(most))" }
        if let delay = stop.delaySeconds, stop.delay == .delayed { text += " \(delay) s late" }
        return text
    }
}
