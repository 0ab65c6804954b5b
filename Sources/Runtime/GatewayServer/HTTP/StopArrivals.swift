import Bytes
import Gateways
import Tracking
import Wire

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
        var order: (Int, Int)
        var json: [UInt8]
    }

    private let stopID: String
    private let reader = RiderUpdateReader()
    private var arrivals: [Arrival] = []

    init(stopID: String) { self.stopID = stopID }

    /// The runs of a route, each with its last position.
    func runs(of route: StoredChannel, routeID: String) -> [Run] {
        var newest: [String: Run] = [:]
        for entry in route.entries {
            guard case .vehiclePosition(let position) = read(entry.message),
                let channel = ChannelName("trip:\(position.streamID)")
            else { continue }
            newest[position.streamID] = Run(routeID: routeID, position: position, channel: channel)
        }
        return newest.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Takes in what is known of a run; one that is over, or does not serve the stop, is left out.
    mutating func add(_ run: Run, _ trip: StoredChannel) {
        let state = trip.fields["state"].map { String(decoding: $0, as: UTF8.self) }
        guard state != "COMPLETED", state != "CANCELLED", let payload = trip.fields["eta"], !payload.isEmpty,
            case .eta(let update) = read(Self.record(payload)),
            // A run that comes by twice is told by the next time.
            let stop = update.stops.first(where: { $0.id == stopID && $0.status != .passed })
                ?? update.stops.last(where: { $0.id == stopID })
        else { return }
        arrivals.append(Arrival(order: Self.order(of: stop), json: json(run, stop, update)))
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

    private static func order(of stop: TripEta.Stop) -> (Int, Int) {
        switch stop.status {
        case .valid: (0, stop.seconds ?? .max)
        case .passed: (1, 0)
        case .unavailable: (2, 0)
        }
    }

    private func json(_ run: Run, _ stop: TripEta.Stop, _ update: RiderUpdate.EtaUpdate) -> [UInt8] {
        var writer = MessageWriter()
        writer.text("etaId", "\(run.position.streamID)/\(stopID)")
        writer.text("routeId", run.routeID)
        writer.text("vehicleNumber", run.position.vehicleNumber)
        writer.number("eta", stop.seconds.map { Int64($0) })
        writer.number("minEta", stop.minSeconds.map { Int64($0) })
        writer.number("maxEta", stop.maxSeconds.map { Int64($0) })
        writer.number("timeStamp", update.estimatedAt.milliseconds)
        writer.text("lastStopId", run.position.lastStopID)
        writer.flag("isBusHalted", run.position.isHalted)
        writer.number("distanceToReach", stop.distanceMeters.map { Int64($0.rounded()) })
        writer.number("scheduledAt", stop.scheduledAt?.milliseconds)
        writer.number("delaySeconds", stop.delaySeconds.map { Int64($0) })
        writer.flag("isStale", update.isStale)
        return Array(writer.finished.utf8)
    }
}
