import Codec
import Domain
import Support

/// Arrivals at a stop, derived from the channels of routes and of their runs (vehicle trips); not thread-safe.
struct StopArrivals {
    struct Run {
        var routeID: String
        var position: RiderUpdate.VehiclePosition
        var channel: ChannelName
    }

    private struct Arrival {
        /// Sort key: arriving vehicles, then those that have passed the stop, then those without a known arrival.
        var order: (Int, Int64)
        var json: [UInt8]
    }

    private let stopID: String
    private let reader = RiderUpdateReader()
    private var arrivals: [Arrival] = []

    init(stopID: String) { self.stopID = stopID }

    /// Returns the runs in progress on a route, each with its last position.
    func runs(of route: StoredChannel, routeID: String) -> [Run] {
        route.runs.compactMap { run in
            guard case .vehiclePosition(let position) = read(run.message),
                let channel = ChannelName("trip:\(position.streamID)")
            else { return nil }
            return Run(routeID: routeID, position: position, channel: channel)
        }.sorted { $0.position.streamID < $1.position.streamID }
    }

    /// Adds the arrival of a run if the run is in progress, has an ETA and serves the stop.
    ///
    /// The position from the route's channel updates the ETA if it is at least as recent as the ETA's position, because
    /// passing a stop on time does not publish a new ETA.
    mutating func add(_ run: Run, _ trip: StoredChannel) {
        let state = trip.fields["state"].map { String(decoding: $0, as: UTF8.self) }
        guard state != "COMPLETED", state != "CANCELLED", let payload = trip.fields["eta"], !payload.isEmpty,
            case .eta(let update) = read(Self.record(payload))
        else { return }
        let estimates = StopEstimate.all(of: update, run.position)
        // For a run that serves the stop twice, use the next visit.
        guard
            let estimate = estimates.first(where: { $0.stop.id == stopID && $0.stop.status != .passed })
                ?? estimates.last(where: { $0.stop.id == stopID })
        else { return }
        arrivals.append(Arrival(order: Self.order(of: estimate), json: json(run, estimate)))
    }

    /// The arrivals as JSON objects, the next arrival first.
    var list: [[UInt8]] { arrivals.sorted { $0.order < $1.order }.map(\.json) }

    private func read(_ message: [UInt8]) -> RiderUpdate? {
        message.withUnsafeBytes { reader.read(ByteSlice($0))?.update }
    }

    /// Wraps the ETA payload of a trip's hash in a record.
    private static func record(_ payload: [UInt8]) -> [UInt8] {
        Array(#"{"type":"eta_update","event_id":"0-0","channel":"trip:0","payload":"#.utf8) + payload
            + [UInt8(ascii: "}")]
    }

    /// Returns the sort key, with an absolute time because the seconds of two runs count from different times.
    private static func order(of estimate: StopEstimate) -> (Int, Int64) {
        switch estimate.stop.status {
        case .valid: (0, estimate.at.milliseconds + Int64(estimate.stop.seconds ?? 1_000_000_000) * 1000)
        case .passed: (1, 0)
        case .unavailable: (2, 0)
        }
    }

    private func json(_ run: Run, _ estimate: StopEstimate) -> [UInt8] {
        let stop = estimate.stop
        var writer = MessageWriter()
        writer.text("etaId", "\(run.position.streamID)/\(stopID)")
        writer.text("routeId", run.routeID)
        writer.text("vehicleNumber", run.position.vehicleNumber)
        writer.number("eta", stop.seconds.map { Int64($0) })
        writer.number("minEta", stop.minSeconds.map { Int64($0) })
        writer.number("maxEta", stop.maxSeconds.map { Int64($0) })
        writer.number("timeStamp", estimate.at.milliseconds)
        writer.text("lastStopId", run.position.lastStopID)
        writer.flag("isBusHalted", run.position.isHalted)
        writer.number("distanceToReach", stop.distanceMeters.map { Int64($0.rounded()) })
        writer.number("scheduledAt", stop.scheduledAt?.milliseconds)
        writer.number("delaySeconds", stop.delaySeconds.map { Int64($0) })
        writer.flag("isStale", estimate.isStale)
        return Array(writer.finished.utf8)
    }
}

/// Estimated arrival at one stop of a run; its seconds count from ``at``.
struct StopEstimate {
    private(set) var stop: TripEta.Stop
    private(set) var at: Timestamp
    private(set) var isStale: Bool

    /// Returns the estimates of a run's ETA, updated by the vehicle's position if the position is recent enough.
    static func all(of update: RiderUpdate.EtaUpdate, _ position: RiderUpdate.VehiclePosition) -> [StopEstimate] {
        var estimates = update.stops.map { StopEstimate(stop: $0, at: update.estimatedAt, isStale: update.isStale) }
        guard isAsRecent(position, as: update) else { return estimates }
        let passed = passedCount(of: update.stops, position)
        for index in estimates.indices.prefix(passed) { estimates[index].pass(position, isLast: index == passed - 1) }
        if estimates.indices.contains(passed) { estimates[passed].approach(position) }
        return estimates
    }

    /// Returns whether the position is at least as recent as that of the ETA, whose age is rounded down to seconds.
    private static func isAsRecent(_ position: RiderUpdate.VehiclePosition, as update: RiderUpdate.EtaUpdate) -> Bool {
        guard let age = update.staleSeconds else { return true }
        return position.at.milliseconds >= update.computedAt.milliseconds - (Int64(age) + 1) * 1000
    }

    /// Returns the number of stops passed according to the ETA or the position.
    private static func passedCount(of stops: [TripEta.Stop], _ position: RiderUpdate.VehiclePosition) -> Int {
        let passedByETA = stops.prefix { $0.status == .passed }.count
        // A route may serve a stop twice: the pair of the passed and the next stop identifies the visit.
        let lastPassed = stops.indices.dropFirst(max(0, passedByETA - 1)).first { index in
            guard stops[index].id == position.passedStopID else { return false }
            return index + 1 == stops.count || stops[index + 1].id == position.nextStopID
        }
        return max(passedByETA, lastPassed.map { $0 + 1 } ?? 0)
    }

    private mutating func pass(_ position: RiderUpdate.VehiclePosition, isLast: Bool) {
        guard stop.status != .passed else { return }
        stop.status = .passed
        stop.seconds = -1
        (stop.minSeconds, stop.maxSeconds, stop.distanceMeters) = (nil, nil, nil)
        if isLast, let passedAt = position.passedAt { stop.arrivesAt = passedAt }
        if let scheduled = stop.scheduledAt, let arrived = stop.arrivesAt {
            stop.delaySeconds = Int(arrived.seconds(since: scheduled).rounded())
        }
        (at, isStale) = (position.at, position.isStale)
    }

    private mutating func approach(_ position: RiderUpdate.VehiclePosition) {
        guard stop.status == .valid, stop.id == position.nextStopID, let seconds = position.etaSeconds, seconds >= 0
        else { return }
        (stop.seconds, stop.minSeconds, stop.maxSeconds) = (seconds, position.minEtaSeconds, position.maxEtaSeconds)
        stop.distanceMeters = position.distanceMeters.map(Double.init)
        (at, isStale) = (position.at, position.isStale)
        guard let scheduled = stop.scheduledAt else { return }
        stop.delaySeconds = Int((at.seconds(since: scheduled) + Double(seconds)).rounded())
    }
}
