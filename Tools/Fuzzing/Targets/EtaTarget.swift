import Codec
import Domain
import Support

/// Arrival times, as the broadcast worker and the history sink read them.
final class EtaTarget: FuzzTarget {
    static let name = "eta"
    private let reader = TripEtaReader()
    private let general = TripEtaReader()
    /// Read into again and again, as a worker does.
    private var reused = EtaTarget.blank

    private static var blank: TripEta {
        TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
    }

    func run(_ input: ByteSlice) {
        var fresh = Self.blank
        let event = general.read(input, into: &fresh)
        hold(reader.read(input, into: &reused) == event, "A reading depends on the one before.")
        var other = Self.blank
        let otherEvent = withGeneralForm(of: input) { general.read($0, into: &other) }
        hold(event == otherEvent, "One reader of arrival times refuses what the other reads.")
        guard let event else { return }
        hold(reused == fresh, "A record is read with remains of the one before: \(reused) and \(fresh).")
        hold(fresh == other, "The readers of arrival times differ: \(fresh) and \(other).")
        holdRanges(fresh)
        let once = written(fresh, event)
        let twice = written(once, event)
        hold(once == twice, "Arrival times changed on being written twice: \(once) and \(twice).")
        var still = once
        still.position = fresh.position
        still.stops = fresh.stops
        (still.progressMeters, still.offRouteMeters) = (fresh.progressMeters, fresh.offRouteMeters)
        (still.drivenMeters, still.snappedMeters) = (fresh.drivenMeters, fresh.snappedMeters)
        still.plannedMeters = fresh.plannedMeters
        hold(still == fresh, "Arrival times changed on being written: \(fresh) and \(once).")
    }

    private func written(_ eta: TripEta, _ event: EventID) -> TripEta {
        withWritten({ TripEtaWriter.write(event: event, eta: eta, into: &$0) }) { bytes in
            var result = Self.blank
            hold(general.read(bytes, into: &result) == event, "Arrival times cannot be read again: \(bytes.string)")
            return result
        }
    }

    private func holdRanges(_ eta: TripEta) {
        holdIdentifier(eta.tripID)
        holdIdentifier(eta.driverID)
        if let route = eta.routeID { holdIdentifier(route) }
        for name in [eta.riderID, eta.detectedArrivalStopID, eta.nextStopID, eta.passedStopID, eta.lastStopID] {
            holdName(name)
        }
        hold(eta.computedAt, "The time of computing")
        hold(eta.passedAt, "The time of passing")
        for meters in [eta.progressMeters, eta.offRouteMeters, eta.drivenMeters, eta.snappedMeters, eta.plannedMeters] {
            hold(meters, in: -1e15...1e15, "A distance")
        }
        if let position = eta.position {
            holdPlace(position.coordinate)
            hold(position.headingDegrees, in: -1e15...1e15, "The heading")
            hold(position.fixedAt, "The time of the fix")
        }
        for stop in eta.stops {
            holdName(stop.id)
            hold(stop.arrivesAt, "An arrival")
            hold(stop.scheduledAt, "A schedule")
        }
    }
}
