import ArgumentParser
import Foundation
import Observability
import Simulation
import Tracking

/// `sightline simulate`: drivers on streets, sent to the pipeline in real time.
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send the locations and trips of a simulated fleet, in real time.",
        discussion: """
            The town, the drivers and everything that befalls them follow from the seed. Devices have correlated GPS \
            noise, tunnels, duplicates, losses and wrong clocks, and a share of the drivers cheats; --truth writes down \
            what was really so.
            """)

    @OptionGroup var fleet: FleetOptions

    @Option(help: "Stop after this many seconds; until Ctrl-C unless given.")
    var seconds: Double?

    @Option(help: "Write what is true of every fix, driver and trip here, as NDJSON.", completion: .file())
    var truth: String?

    func validate() throws {
        if let seconds, seconds <= 0 { throw ValidationError("--seconds is more than nothing.") }
    }

    func run() throws {
        let access = try PipelineAccess()
        _ = try access.partitionCount(of: [.rawLocations, .trips])
        let sender = try RecordSender(access)
        let truthFile = try truth.map { try TruthFile(path: $0) }
        let stop = StopSignal()
        var progress = ProgressLine()
        progress.show { "Building a town for \(fleet.drivers) drivers …" }
        var drive = try FleetDrive(options: fleet)
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
