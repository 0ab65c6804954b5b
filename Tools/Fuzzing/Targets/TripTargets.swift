import Codec
import Domain
import Support

/// Fuzz target for trip messages.
final class TripTarget: FuzzTarget {
    static let name = "trip"
    private let reader = TripReader()

    func run(_ input: ByteSlice) {
        ByteSlice.withBytes(of: "d7") { key in
            guard let trip = reader.read(key: key, value: input).message else { return }
            expectRanges(trip)
            let once = written(trip, key)
            expect(isSame(trip, once), "A round trip changes a trip message: \(trip) and \(once).")
            let twice = written(once, key)
            expect(once == twice, "A second round trip changes a trip message: \(once) and \(twice).")
        }
    }

    private func written(_ trip: TripMessage, _ key: ByteSlice) -> TripMessage {
        withWritten({ TripWriter.write(trip, into: &$0) }) { bytes in
            guard case .trip(let result) = reader.read(key: key, value: bytes) else {
                fail("A written trip is unreadable: \(bytes.string)")
            }
            return result
        }
    }

    private func expectRanges(_ trip: TripMessage) {
        expectIdentifier(trip.tripID)
        expect(trip.driverID == "d7", "The driver of a trip is not that of its key.")
        if let route = trip.routeID { expectIdentifier(route) }
        expectName(trip.riderID)
        expectName(trip.triggeredBy)
        expect(trip.changedAt, "The time of the change")
        expect(trip.version.map { $0 >= 0 } ?? true, "The version is negative.")
        expect((0...1).contains(trip.queuePosition), "The queue position is \(trip.queuePosition).")
        expect(trip.stops.count <= TripLimits.stops, "There are \(trip.stops.count) stops.")
        expect((trip.contextJSON?.utf8.count ?? 0) <= TripLimits.contextBytes, "The context is too long.")
        expect((trip.factsJSON?.utf8.count ?? 0) <= TripLimits.factsBytes, "The facts are too long.")
        for stop in trip.stops {
            expectName(stop.id)
            expectCoordinate(stop.coordinate)
            expect(stop.scheduledAt, "A schedule")
        }
        guard let route = trip.route else { return }
        expect(route.polyline.utf8.count <= TripLimits.polylineBytes, "The polyline is too long.")
        expect(route.distanceMeters, in: 0...1e9, "The distance")
        expect(route.durationSeconds, in: 0...1e9, "The duration")
        route.points.forEach(expectCoordinate)
    }

    /// Compares trips; numbers may differ by half a unit of the last written digit.
    private func isSame(_ left: TripMessage, _ right: TripMessage) -> Bool {
        var rounded = left
        guard left.stops.count == right.stops.count else { return false }
        for (index, stop) in right.stops.enumerated() {
            let coordinate = left.stops[index].coordinate
            guard isNear(coordinate.latitude, stop.coordinate.latitude, decimals: 1e-7),
                isNear(coordinate.longitude, stop.coordinate.longitude, decimals: 1e-7)
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

/// Fuzz target for arrival times, as read by the broadcast worker and the history sink.
final class EtaTarget: FuzzTarget {
    static let name = "eta"
    private let reader = TripEtaReader()
    private let general = TripEtaReader()
    /// Reused for every record, as in a worker.
    private var reused = EtaTarget.blank

    private static var blank: TripEta {
        TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
    }

    func run(_ input: ByteSlice) {
        var fresh = Self.blank
        let event = general.read(input, into: &fresh)
        expect(reader.read(input, into: &reused) == event, "The result depends on the previous record.")
        var other = Self.blank
        let otherEvent = withLeadingSpace(before: input) { general.read($0, into: &other) }
        expect(event == otherEvent, "Only one reader accepts the arrival times.")
        guard let event else { return }
        expect(reused == fresh, "Data of the previous record remains: \(reused) and \(fresh).")
        expect(fresh == other, "The readers differ: \(fresh) and \(other).")
        expectRanges(fresh)
        let once = written(fresh, event)
        let twice = written(once, event)
        expect(once == twice, "A second round trip changes arrival times: \(once) and \(twice).")
        // Only members with rounded numbers may change.
        var rounded = fresh
        (rounded.position, rounded.stops) = (once.position, once.stops)
        (rounded.progressMeters, rounded.offRouteMeters) = (once.progressMeters, once.offRouteMeters)
        (rounded.drivenMeters, rounded.snappedMeters) = (once.drivenMeters, once.snappedMeters)
        rounded.plannedMeters = once.plannedMeters
        expect(rounded == once, "A round trip changes arrival times: \(fresh) and \(once).")
    }

    private func written(_ eta: TripEta, _ event: EventID) -> TripEta {
        withWritten({ TripEtaWriter.write(event: event, eta: eta, into: &$0) }) { bytes in
            var result = Self.blank
            expect(general.read(bytes, into: &result) == event, "Written arrival times are unreadable: \(bytes.string)")
            return result
        }
    }

    private func expectRanges(_ eta: TripEta) {
        expectIdentifier(eta.tripID)
        expectIdentifier(eta.driverID)
        if let route = eta.routeID { expectIdentifier(route) }
        for name in [eta.riderID, eta.detectedArrivalStopID, eta.nextStopID, eta.passedStopID, eta.lastStopID] {
            expectName(name)
        }
        expect(eta.computedAt, "computed_at")
        expect(eta.passedAt, "passed_at")
        for meters in [eta.progressMeters, eta.offRouteMeters, eta.drivenMeters, eta.snappedMeters, eta.plannedMeters] {
            expect(meters, in: -1e15...1e15, "A distance")
        }
        if let position = eta.position {
            expectCoordinate(position.coordinate)
            expect(position.headingDegrees, in: -1e15...1e15, "The heading")
            expect(position.fixedAt, "The time of the fix")
        }
        for stop in eta.stops {
            expectName(stop.id)
            expect(stop.arrivesAt, "An arrival")
            expect(stop.scheduledAt, "A schedule")
        }
    }
}

/// Fuzz target for rider updates, as read by rider-gateway, push-worker and `sightline tail`.
final class UpdateTarget: FuzzTarget {
    static let name = "update"
    private let reader = RiderUpdateReader()

    func run(_ input: ByteSlice) {
        guard let record = reader.read(input) else { return }
        var channel = ByteWriter()
        channel.append(record.channel)
        let once = written(record.update, record.eventID, channel.bytes)
        let twice = written(once, record.eventID, channel.bytes)
        expect(once == twice, "A second round trip changes an update: \(once) and \(twice).")
    }

    private func written(_ update: RiderUpdate, _ event: EventID, _ channel: ByteSlice) -> RiderUpdate {
        withWritten({ RiderUpdateWriter.write(event: event, channel: channel, update: update, into: &$0) }) { bytes in
            let record = require(reader.read(bytes), "A written update is unreadable: \(bytes.string)")
            expect(record.eventID == event && record.channel == channel, "The event or channel of an update changes.")
            return record.update
        }
    }
}

/// Fuzz target for encoded polylines; the first byte of the input selects the precision.
final class PolylineTarget: FuzzTarget {
    static let name = "polyline"

    func run(_ input: ByteSlice) {
        guard input.count > 0, let start = input.start else { return }
        let precision = input[0] & 1 == 0 ? 5 : 6
        let text = ByteSlice(start: start + 1, count: input.count - 1)
        guard let points = Polyline.decode(text, precision: precision) else { return }
        expect(points.count <= text.count / 2, "There are more points than characters allow.")
        points.forEach(expectCoordinate)
        let encoded = Polyline.encode(points, precision: precision)
        expect(
            encoded.utf8.allSatisfy { (63...127).contains($0) }, "An encoded polyline contains an invalid character.")
        ByteSlice.withBytes(of: encoded) {
            expect(Polyline.decode($0, precision: precision) == points, "A round trip changes a polyline.")
        }
    }
}
