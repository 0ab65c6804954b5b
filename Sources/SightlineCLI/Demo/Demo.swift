import Recordings
import ArgumentParser
import Foundation
import Kafka
import Pipeline
import Observability
import Simulation
import Tracking

/// `sightline demo`: drives the whole pipeline, watches it, and ends with a report.
struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Drive running workers with a simulated fleet or a recording, and report what became of it.",
        discussion: """
            The workers, topics and stores must be up (deploy/demo sees to that). The report compares the topics with one \
            another, with the stores and with the simulation's truth. Exit code: 0 when nothing was lost or doubled, 1 when \
            something was, 70 when the demo itself failed.
            """)

    @OptionGroup var fleet: FleetOptions

    @Option(help: "Stop after this many seconds; until Ctrl-C, or the end of the recording, unless given.")
    var seconds: Double?

    @Option(help: "Replay this file (CSV or NDJSON, plain or gzip) instead of simulating.", completion: .file())
    var input: String?

    @Option(help: "How many times faster than recorded, or max.")
    var speed = ReplaySpeed.unlimited

    @Option(help: "Write the report here as well, as JSON.", completion: .file())
    var json: String?

    @Option(help: "A worker's endpoint, such as http://127.0.0.1:9101; once for each, to show lags.")
    var metricsURL: [String] = []

    @Option(help: "How many seconds the workers may take to finish what was sent.")
    var patience = 120.0

    func validate() throws {
        if let seconds, seconds <= 0 { throw ValidationError("--seconds is more than nothing.") }
        if patience <= 0 { throw ValidationError("--patience is more than nothing.") }
    }

    func run() throws {
        let report: DemoReport
        do {
            report = try drive()
            print(report.text)
            if let json { try write(report, to: json) }
        } catch {
            StandardError.write("Error: \(error)\n")
            throw ExitCode(70)
        }
        if !report.isClean {
            StandardError.write("\(report.lost) lost and \(report.doubled) doubled: the pipeline has a fault.\n")
            throw ExitCode(1)
        }
    }

    private func drive() throws -> DemoReport {
        let access = try PipelineAccess()
        let audit = try StoreAudit(access.settings)
        let probe = try MetricsProbe(urls: metricsURL)
        let follower = try RunFollower(access)
        let sender = try RecordSender(access)
        let stop = StopSignal()
        var session = DemoSession(follower: follower, sender: sender, probe: probe, stop: stop, isLive: input == nil)
        follower.start()
        probe.start()
        defer {
            probe.stop()
            follower.stop()
        }
        let truth: FleetSimulation?
        if let input {
            try session.replay(RecordedFile(path: input), speed: speed, seconds: seconds)
            truth = nil
        } else {
            truth = try session.simulate(fleet, seconds: seconds)
        }
        try sender.finish(within: 60)
        try session.drain(audit: audit, access: access, patienceSeconds: patience)
        follower.stop()
        let ledger = follower.withLedger { $0 }
        return DemoReport(
            ledger: ledger, stores: try audit.count(ledger), drivers: truth?.drivers ?? [], trips: truth?.trips ?? [],
            isLive: input == nil)
    }

    private func write(_ report: DemoReport, to path: String) throws {
        do {
            try report.json().write(to: URL(fileURLWithPath: path))
        } catch {
            throw InputError("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
