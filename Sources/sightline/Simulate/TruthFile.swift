import Runtime
import Simulation
import Support

/// A file with the truth about a simulated fleet, as JSON lines.
///
/// `{"type":"fix",…}` for each fix in the order of sending, then `{"type":"driver",…}` for each driver and
/// `{"type":"trip",…}` for each trip.
final class TruthFile {
    private let output: TextOutput

    init(path: String) throws { output = try TextOutput(path: path) }

    func write(_ event: SimulatedEvent) throws {
        guard case .rawRecord(let record) = event, !record.isRepeat else { return }
        for fix in record.fixes { output.append(Self.line(fix)) }
        try output.flushIfFull()
    }

    func finish(_ simulation: FleetSimulation) throws {
        for driver in simulation.drivers { output.append(Self.line(driver)) }
        for trip in simulation.trips { output.append(Self.line(trip)) }
        try output.flush()
    }

    /// Formats a fix; ids of the simulation need no escaping.
    private static func line(_ fix: FixGroundTruth) -> String {
        "{\"type\":\"fix\",\"driver_id\":\"\(fix.driverID)\",\"session_id\":\"\(fix.sessionID)\","
            + "\"sequence\":\(fix.sequence),\"taken_at\":\"\(text(fix.takenAt))\","
            + "\"true_latitude\":\(fix.coordinate.latitude),\"true_longitude\":\(fix.coordinate.longitude),"
            + "\"latitude\":\(fix.reported.latitude),\"longitude\":\(fix.reported.longitude),"
            + "\"is_forged\":\(fix.isForged)}\n"
    }

    private static func line(_ driver: DriverGroundTruth) -> String {
        let windows = driver.windows.map { window in
            "{\"from\":\"\(text(window.from))\",\"to\":\(window.to.map { "\"\(text($0))\"" } ?? "null"),"
                + "\"forged_fixes\":\(window.forgedFixes)}"
        }
        return "{\"type\":\"driver\",\"driver_id\":\"\(driver.driverID)\","
            + "\"cheat\":\(driver.cheat.map { "\"\($0.rawValue)\"" } ?? "null"),\"is_transit\":\(driver.isTransit),"
            + "\"receiver\":\"\(driver.receiver.rawValue)\",\"device\":\"\(driver.variant.rawValue)\","
            + "\"windows\":[\(windows.joined(separator: ","))]}\n"
    }

    private static func line(_ trip: TripGroundTruth) -> String {
        let stops = trip.stops.map { stop in
            "{\"stop_id\":\"\(stop.id)\",\"arrived_at\":\(stop.arrivedAt.map { "\"\(text($0))\"" } ?? "null")}"
        }
        return "{\"type\":\"trip\",\"trip_id\":\"\(trip.tripID)\",\"driver_id\":\"\(trip.driverID)\","
            + "\"kind\":\"\(trip.kind == .ride ? "ride" : "transit")\",\"state\":\"\(trip.state.code)\","
            + "\"stops\":[\(stops.joined(separator: ","))]}\n"
    }

    private static func text(_ time: Timestamp) -> String { WallClock.text(time.milliseconds) }
}
