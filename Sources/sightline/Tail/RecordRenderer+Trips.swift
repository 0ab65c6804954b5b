import Codec
import Domain
import Processing

/// Entries of trips, arrival times and rider updates.
extension RecordRenderer {
    func tripEntry(_ record: InputRecord) -> TailEntry? {
        guard let value = record.value else {
            return TailEntry(details: "no trip (tombstone)", driver: record.key.string)
        }
        guard let trip = trips.read(key: record.key, value: value).message else { return nil }
        var parts = ["\(trip.kind == .ride ? "ride" : "transit") with \(pluralize(trip.stops.count, "stop"))"]
        if let distance = trip.route?.distanceMeters { parts.append("\(Self.tenths(distance / 1000)) km planned") }
        if let routeID = trip.routeID { parts.append("route \(routeID)") }
        return TailEntry(
            cells: [trip.tripID, "\(trip.state.code)", trip.version.map { "v\($0)" } ?? ""],
            details: parts.joined(separator: "  "), driver: record.key.string, trips: [trip.tripID])
    }

    static func entry(_ eta: TripEta, _ event: EventID) -> TailEntry {
        let next = eta.stops.first { $0.id == eta.nextStopID } ?? eta.stops.first { $0.status == .valid }
        var parts = next.map { [text($0)] } ?? []
        if let last = eta.stops.last, last.id != eta.nextStopID { parts.append(text(last)) }
        if eta.isHalted { parts.append("halted") }
        if eta.isStale { parts.append("stale") }
        if eta.isOffRoute { parts.append("off route") }
        return TailEntry(
            cells: ["\(event)", eta.driverID, "\(eta.state.code)"], details: parts.joined(separator: "  "),
            driver: eta.driverID, trips: [eta.tripID],
            highlight: eta.isStale || eta.isOffRoute ? (2, .warning) : nil)
    }

    static func entry(_ record: TripWarningRecord) -> TailEntry {
        let isOver = record.warning.endedAt != nil
        let code = "\(record.warning.code.code)"
        return TailEntry(
            cells: ["\(record.eventID)", record.driverID.string, code, isOver ? "resolved" : "begins"],
            details: record.message.string, driver: record.driverID.string, trips: [record.tripID.string],
            reasons: [code], highlight: (3, isOver ? .good : .warning))
    }

    static func entry(_ record: RiderUpdateRecord) -> TailEntry {
        let (type, details) = text(record.update)
        let channel = record.channel.string
        return TailEntry(
            cells: ["\(record.eventID)", type], details: details,
            trips: channel.hasPrefix("trip:") ? [String(channel.dropFirst("trip:".count))] : [])
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
