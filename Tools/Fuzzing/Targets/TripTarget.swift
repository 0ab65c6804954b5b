import Codec
import Domain
import Support

/// Messages of the trip service.
final class TripTarget: FuzzTarget {
    static let name = "trip"
    private let reader = TripReader()
    private let limits = TripLimits()

    func run(_ input: ByteSlice) {
        ByteSlice.withBytes(of: "d7") { key in
            guard let trip = reader.read(key: key, value: input).message else { return }
            holdRanges(trip)
            let once = written(trip, key)
            hold(isSame(trip, once), "A trip changed on being written: \(trip) and \(once).")
            let twice = written(once, key)
            hold(once == twice, "A trip changed on being written twice: \(once) and \(twice).")
        }
    }

    private func written(_ trip: TripMessage, _ key: ByteSlice) -> TripMessage {
        withWritten({ TripWriter.write(trip, into: &$0) }) { bytes in
            guard case .trip(let result) = reader.read(key: key, value: bytes) else {
                hold(false, "A trip that was written cannot be read: \(bytes.string)")
                return trip
            }
            return result
        }
    }

    private func holdRanges(_ trip: TripMessage) {
        holdIdentifier(trip.tripID)
        hold(trip.driverID == "d7", "A trip belongs to another driver than its key.")
        if let route = trip.routeID { holdIdentifier(route) }
        holdName(trip.riderID)
        holdName(trip.triggeredBy)
        hold(trip.changedAt, "The time of the change")
        hold(trip.version.map { $0 >= 0 } ?? true, "The version is negative.")
        hold((0...1).contains(trip.queuePosition), "The queue position is \(trip.queuePosition).")
        hold(trip.stops.count <= limits.stops, "There are \(trip.stops.count) stops.")
        hold((trip.contextJSON?.utf8.count ?? 0) <= limits.contextBytes, "The context is too long.")
        hold((trip.factsJSON?.utf8.count ?? 0) <= limits.factsBytes, "The facts are too long.")
        for stop in trip.stops {
            holdName(stop.id)
            holdPlace(stop.coordinate)
            hold(stop.scheduledAt, "A schedule")
        }
        guard let route = trip.route else { return }
        hold(route.polyline.utf8.count <= limits.polylineBytes, "The polyline is too long.")
        hold(route.distanceMeters, in: 0...1e9, "The distance")
        hold(route.durationSeconds, in: 0...1e9, "The duration")
        route.points.forEach(holdPlace)
    }

    /// Numbers may have lost the decimals that are not written.
    private func isSame(_ left: TripMessage, _ right: TripMessage) -> Bool {
        var rounded = left
        guard left.stops.count == right.stops.count else { return false }
        for (index, stop) in right.stops.enumerated() {
            let place = left.stops[index].coordinate
            guard isNear(place.latitude, stop.coordinate.latitude, decimals: 1e-7),
                isNear(place.longitude, stop.coordinate.longitude, decimals: 1e-7)
            else { return false }
            rounded.stops[index].coordinate = stop.coordinate
        }
        guard isNear(left.route?.distanceMeters, right.route?.distanceMeters, decimals: 0.1),
            isNear(left.route?.durationSeconds, right.route?.durationSeconds, decimals: 0.1)
        else { return false }
        rounded.route?.distanceMeters = right.route?.distanceMeters
        rounded.route?.durationSeconds = right.route?.durationSeconds
        return rounded == right
    }
}
