import Codec
import Model
import Support

/// When the vehicles of some routes come to a stop, by what the channels of routes and runs say.
///
/// Belongs to one thread.
struct StopArrivals {
    /// A vehicle that is on its way on a route.
    struct Run {
        var routeID: String
        var position: RiderUpdate.VehiclePosition
        /// The channel of its trip.
        var channel: ChannelName
    }

    private struct Arrival {
        /// Those that come before those that passed, and both before those that are not known.
        var order: (Int, Int64)
        var json: [UInt8]
    }

    private let stopID: String
    private let reader = RiderUpdateReader()
    private var arrivals: [Arrival] = []

    init(stopID: String) { self.stopID = stopID }

    /// Reads the runs under way on a route, each with its last position.
    func runs(of route: StoredChannel, routeID: String) -> [Run] {
        RouteRuns(route).positions.compactMap { run in
            guard case .vehiclePosition(let position) = read(run.message),
                let channel = ChannelName("trip:\(position.streamID)")
            else { return nil }
            return Run(routeID: routeID, position: position, channel: channel)
        }.sorted { $0.position.streamID < $1.position.streamID }
    }

    /// Adds a run's arrival; one that is over, or does not serve the stop, is left out.
    ///
    /// What the route's channel says of the vehicle counts where it is as new as the arrival times of the run: a stop
    /// passed on time and the arrival at the next one are in no arrival times of their own.
    mutating func add(_ run: Run, _ trip: StoredChannel) {
        let state = trip.fields["state"].map { String(decoding: $0, as: UTF8.self) }
        guard state != "COMPLETED", state != "CANCELLED", let payload = trip.fields["eta"], !payload.isEmpty,
            case .eta(let update) = read(Self.record(payload))
        else { return }
        let figures = StopFigures.every(of: update, run.position)
        // A run that comes by twice is told by the next time.
        guard
            let found = figures.first(where: { $0.stop.id == stopID && $0.stop.status != .passed })
                ?? figures.last(where: { $0.stop.id == stopID })
        else { return }
        arrivals.append(Arrival(order: Self.order(of: found), json: json(run, found)))
    }

    /// The arrivals as JSON objects with the names of the bus document, the next one first.
    var list: [[UInt8]] { arrivals.sorted { $0.order < $1.order }.map(\.json) }

    private func read(_ message: [UInt8]) -> RiderUpdate? {
        message.withUnsafeBytes { reader.read(ByteSlice($0))?.update }
    }

    /// The record whose payload the hash of a trip has.
    private static func record(_ payload: [UInt8]) -> [UInt8] {
        Array(#"{"type":"eta_update","event_id":"0-0","channel":"trip:0","payload":"#.utf8) + payload
            + [UInt8(ascii: "}")]
    }

    /// By the time of arrival: the seconds of two runs count from different times.
    private static func order(of figures: StopFigures) -> (Int, Int64) {
        switch figures.stop.status {
        case .valid: (0, figures.at.milliseconds + Int64(figures.stop.seconds ?? 1_000_000_000) * 1000)
        case .passed: (1, 0)
        case .unavailable: (2, 0)
        }
    }

    private func json(_ run: Run, _ figures: StopFigures) -> [UInt8] {
        let stop = figures.stop
        var writer = MessageWriter()
        writer.text("etaId", "\(run.position.streamID)/\(stopID)")
        writer.text("routeId", run.routeID)
        writer.text("vehicleNumber", run.position.vehicleNumber)
        writer.number("eta", stop.seconds.map { Int64($0) })
        writer.number("minEta", stop.minSeconds.map { Int64($0) })
        writer.number("maxEta", stop.maxSeconds.map { Int64($0) })
        writer.number("timeStamp", figures.at.milliseconds)
        writer.text("lastStopId", run.position.lastStopID)
        writer.flag("isBusHalted", run.position.isHalted)
        writer.number("distanceToReach", stop.distanceMeters.map { Int64($0.rounded()) })
        writer.number("scheduledAt", stop.scheduledAt?.milliseconds)
        writer.number("delaySeconds", stop.delaySeconds.map { Int64($0) })
        writer.flag("isStale", figures.isStale)
        return Array(writer.finished.utf8)
    }
}
