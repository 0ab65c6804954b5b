import Codec
import Domain
import Support

/// Arrivals at a stop, derived from the channels of routes and of their runs; not thread-safe.
struct StopArrivals {
    /// A run in progress on a route.
    struct Run {
        var routeID: String
        var position: RiderUpdate.VehiclePosition
        /// The channel of its trip.
        var channel: ChannelName
    }

    private struct Arrival {
        /// Sorts vehicles that will arrive before those that have passed, and unknown arrivals last.
        var order: (Int, Int64)
        var json: [UInt8]
    }

    private let stopID: String
    private let reader = RiderUpdateReader()
    private var arrivals: [Arrival] = []

    init(stopID: String) { self.stopID = stopID }

    /// Returns the runs in progress on a route, each with its last position.
    func runs(of route: StoredChannel, routeID: String) -> [Run] {
        ActiveRuns(route).positions.compactMap { run in
            guard case .vehiclePosition(let position) = read(run.message),
                let channel = ChannelName("trip:\(position.streamID)")
            else { return nil }
            return Run(routeID: routeID, position: position, channel: channel)
        }.sorted { $0.position.streamID < $1.position.streamID }
    }

    /// Adds the arrival of a run, unless the run has ended or does not serve the stop.
    ///
    /// The position from the route's channel updates the run's ETA if it is as recent: passing a stop on time does not
    /// publish a new ETA.
    mutating func add(_ run: Run, _ trip: StoredChannel) {
        let state = trip.fields["state"].map { String(decoding: $0, as: UTF8.self) }
        guard state != "COMPLETED", state != "CANCELLED", let payload = trip.fields["eta"], !payload.isEmpty,
            case .eta(let update) = read(Self.record(payload))
        else { return }
        let estimates = StopEstimate.all(of: update, run.position)
        // For a run that serves the stop twice, use the next time.
        guard
            let found = estimates.first(where: { $0.stop.id == stopID && $0.stop.status != .passed })
                ?? estimates.last(where: { $0.stop.id == stopID })
        else { return }
        arrivals.append(Arrival(order: Self.order(of: found), json: json(run, found)))
    }

    /// The arrivals as JSON objects with the member names of the bus document, the next arrival first.
    var list: [[UInt8]] { arrivals.sorted { $0.order < $1.order }.map(\.json) }

    private func read(_ message: [UInt8]) -> RiderUpdate? {
        message.withUnsafeBytes { reader.read(ByteSlice($0))?.update }
    }

    /// Wraps the ETA payload of a trip's hash in a record.
    private static func record(_ payload: [UInt8]) -> [UInt8] {
        Array(#"{"type":"eta_update","event_id":"0-0","channel":"trip:0","payload":"#.utf8) + payload
            + [UInt8(ascii: "}")]
    }

    /// Uses absolute arrival times, because the seconds of two runs count from different times.
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
