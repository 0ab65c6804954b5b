import ArgumentParser
import Codec
import Foundation
import Simulation
import Support

/// `sightline simulate`: sends a simulated fleet to the pipeline in real time.
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send locations and trips of a simulated fleet in real time, or write them to files.",
        discussion: """
            The town, the drivers and all events depend only on the seed. Phones have correlated GPS noise, raw receivers \
            white noise and reflections in street canyons. There are tunnels, duplicates, losses, wrong clocks and \
            unusual devices, and some drivers cheat; --truth writes the true positions, drivers and trips.

            With --csv nothing is sent: the simulation runs without waiting, and the file gets every fix with its true \
            position, for `sightline process`, `replay` and `evaluate`. Examples/ride.csv was created with:

              sightline simulate --drivers 1 --buses 0 --cheaters 0 --seed 3 --street-canyon 4 --seconds 1200 \
            --start 2026-02-02T08:00:00Z --csv Examples/ride.csv --trips Examples/ride-trips.jsonl
            """)

    @OptionGroup var fleet: FleetOptions

    @Option(help: "Stop after this many seconds; by default at Ctrl-C.")
    var seconds: Double?

    @Option(help: "Write the truth about every fix, driver and trip to this file, as NDJSON.", completion: .file())
    var truth: String?

    @Option(
        help: "Write fixes with true positions to this file, as CSV, and send nothing; needs --seconds.",
        completion: .file())
    var csv: String?

    @Option(help: "With --csv, write the trip messages to this file, as NDJSON.", completion: .file())
    var trips: String?

    @Option(
        help: "Write the streets of the town to this file, for the live map, and send nothing.", completion: .file())
    var streets: String?

    @Option(
        help: ArgumentHelp(
            "Factor of GPS errors between the high buildings of the centre, 0 to 20.", valueName: "factor"))
    var streetCanyon: Double?

    @Option(
        help: ArgumentHelp("With --csv, the start time; now by default.", valueName: "ISO 8601 time"),
        transform: Self.time)
    var start: Timestamp?

    func validate() throws {
        if let seconds, seconds <= 0 { throw ValidationError("--seconds must be above 0.") }
        if csv != nil, seconds == nil { throw ValidationError("--csv needs --seconds.") }
        if csv == nil, let option = trips != nil ? "--trips" : start != nil ? "--start" : nil {
            throw ValidationError("\(option) needs --csv.")
        }
        if streets != nil, csv != nil || truth != nil {
            throw ValidationError("--streets cannot be combined with --csv or --truth.")
        }
        if csv != nil, truth != nil { throw ValidationError("--csv contains the true positions: omit --truth.") }
        if let streetCanyon, !(0...20).contains(streetCanyon) {
            throw ValidationError("--street-canyon must be 0 to 20.")
        }
    }

    private static func time(_ text: String) throws -> Timestamp {
        guard let time = ByteSlice.withBytes(of: text, { ISO8601.time($0) }) else {
            throw ValidationError("--start must be an ISO 8601 time, such as 2026-02-02T08:00:00Z.")
        }
        return time
    }

    private func fleetConfiguration(_ start: Timestamp) throws -> FleetConfiguration {
        var configuration = try fleet.configuration(start: start)
        if let streetCanyon { configuration.noise.canyonFactor = streetCanyon }
        return configuration
    }

    func run() throws {
        if let streets {
            let simulation = FleetSimulation(configuration: try fleetConfiguration(Timestamp(milliseconds: 0)))
            return try ReportFile.write(JSONEncoder().encode(StreetFile(simulation.network)), to: streets)
        }
        guard let csv, let seconds else { return try send() }
        let start = start ?? Timestamp.now
        let files = FleetFiles(try fleetConfiguration(start), seconds: seconds)
        try files.write(csv: csv, trips: trips)
        print("\(files.summary) of \(fleet.drivers) drivers written")
    }

    private func send() throws {
        let access = try PipelineAccess()
        _ = try access.partitionCount(of: [.rawLocations, .trips])
        let sender = try RecordSender(access)
        let truthFile = try truth.map { try TruthFile(path: $0) }
        let stop = StopSignal()
        var progress = ProgressLine()
        progress.show { "Building a town for \(fleet.drivers) drivers …" }
        var drive = try FleetDrive(drivers: fleet.drivers, fleetConfiguration)
        let clock = ContinuousClock()
        let began = clock.now
        while !stop.isRaised {
            let elapsed = began.duration(to: clock.now) / .seconds(1)
            if let seconds, elapsed >= seconds { break }
            try drive.advance(with: sender, stop: stop) { try truthFile?.write($0) }
            try sender.poll()
            progress.show {
                "\(fleet.drivers) drivers, \(Int(elapsed)) s: \(drive.rawRecords) locations and \(drive.tripMessages) trip "
                    + "messages sent"
            }
            stop.wait(milliseconds: 10)
        }
        try drive.endTrips(with: sender)
        try sender.finish(within: 60)
        try truthFile?.finish(drive.simulation)
        progress.clear()
        let elapsed = began.duration(to: clock.now) / .seconds(1)
        print(
            "\(drive.rawRecords) locations and \(drive.tripMessages) trip messages of \(fleet.drivers) drivers sent in "
                + "\(Int(elapsed.rounded())) s")
    }
}

/// The streets of a simulated town for the live map: `/map/streets.json`.
private struct StreetFile: Encodable {
    /// Latitude and longitude of the two ends of each street, rounded to about 0.1 m.
    let lines: [[[Double]]]
    /// Class of each street: `side`, `arterial` or `express`.
    let classes: [String]

    init(_ network: StreetNetwork) {
        // The two directions of a road are separate streets; the map draws one of them.
        let drawn = network.streets.filter { $0.from < $0.to }
        lines = drawn.map { street in
            [street.from, street.to].map { crossing in
                let coordinate = network.plane.coordinate(of: network.crossings[crossing])
                return [coordinate.latitude.rounded(toDecimals: 6), coordinate.longitude.rounded(toDecimals: 6)]
            }
        }
        classes = drawn.map { "\($0.streetClass)" }
    }
}
