import Pipeline
import Tracking
import Wire

/// Lines for trips, arrival times and rider updates.
extension RecordRenderer {
    func tripText(_ record: InputRecord) -> String? {
        guard let value = record.value else { return "no trip (tombstone)" }
        guard let trip = readTrip(key: record.key, value: value) else { return nil }
        var parts = [trip.tripID, "\(trip.state.code)", trip.version.map { "v\($0)" } ?? "–"]
        parts.append("\(trip.kind == .ride ? "ride" : "transit") with \(trip.stops.count) stops")
        if let distance = trip.route?.distanceMeters { parts.append("\(Self.tenths(distance / 1000)) km planned") }
        if let routeID = trip.routeID { parts.append("route \(routeID)") }
        return parts.joined(separator: "  ")
    }

    static func text(_ eta: TripEta, _ event: EventID) -> String {
        var parts = ["\(event)", eta.driverID, "\(eta.state.code)"]
        if let next = eta.stops.first(where: { $0.id == eta.nextStopID })
            ?? eta.stops.first(where: { $0.status == .valid })
        {
            parts.append(text(next))
        }
        if let last = eta.stops.last, last.id != eta.nextStopID { parts.append(text(last)) }
        if eta.isHalted { parts.append("halted") }
        if eta.isStale { parts.append("stale") }
        if eta.isOffRoute { parts.append("off route") }
        return parts.joined(separator: "  ")
    }

    static func text(_ record: TripWarningRecord) -> String {
        let word = record.warning.endedAt == nil ? "begins" : "resolved"
        return "\(record.eventID)  \(record.warning.code.code)  \(word)  \(record.message.string)"
    }

    static func text(_ record: RiderUpdateRecord) -> String {
        let head = "\(record.eventID)  "
        switch record.update {
        case .driverLocation(let update):
            let stale = update.staleSeconds > 0 ? "  \(update.staleSeconds) s old" : ""
            return head
                + "driver_location  \(text(update.coordinate))  \(tenths(update.speedMetersPerSecond)) m/s\(stale)"
        case .eta(let update):
            return head + "eta_update  \(update.stops.map(text).joined(separator: "  "))"
        case .stateChanged(let change):
            let from = change.previousState.map { "\($0.code) → " } ?? ""
            return head + "trip_state_changed  \(from)\(change.stage?.code ?? change.state.code)"
        case .vehiclePosition(let update):
            return head
                + "vehicle_position  \(update.vehicleNumber)  \(text(update.coordinate))  next \(update.nextStopID)"
        case .notification(let notification):
            return head + "notification  \(notification.moment)  \(notification.priority)"
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
