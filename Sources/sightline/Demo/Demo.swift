import ArgumentParser
import Foundation
import Runtime
import Simulation

/// `sightline demo`: drives the whole pipeline, shows what it does, and audits what became of it.
struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Drive running workers with a simulated fleet or a recording, watch them, and audit the run.",
        discussion: """
            The workers, topics and stores must be up (deploy/demo sees to that). While records are sent, a table \
            shows how they come through; then the workers may finish, and everything that was made of this run's \
            records is compared as by `sightline audit`: topics, history and Redis. What earlier runs left there is \
            not. Set the environment the same as for the workers, with whose code and settings the records are judged \
            again.

            The report holds the run's figures, what the simulation's truth says of them, and the audit's comparisons.

            Ctrl-C or SIGTERM end the sending; a second one ends the command at once.

            With --keep the simulated fleet drives on after the report, until Ctrl-C or SIGTERM, and what to try \
            meanwhile is printed: commands with drivers and places of this run, and the workers' addresses.

            Exit code: 0 when the audit finds no difference, 1 when it does or nothing of the recording can be read, 2 \
            when it could not be made.
            """)

    @OptionGroup var fleet: FleetOptions

    @Option(help: "Stop after this many seconds; until Ctrl-C, or the end of the recording, unless given.")
    var seconds: Double?

    @Option(help: "Replay this file (CSV, GPX or NDJSON, plain or gzip) instead of simulating.", completion: .file())
    var input: String?

    @Option(help: "How many times faster than recorded, or max.")
    var speed = ReplaySpeed.unlimited

    @Option(help: "Write the report here as well, as JSON.", completion: .file())
    var json: String?

    @Option(help: "A worker's endpoint, such as http://127.0.0.1:9101; once for each, to show lags.")
    var metricsURL: [String] = []

    @Option(
        help: ArgumentHelp(
            "How many seconds the workers may take to finish what was sent.",
            discussion: "A worker that has not by then is a difference."))
    var patience = 120.0

    @Flag(help: "Go on after the report until Ctrl-C; the run before it is 60 s long, unless --seconds says otherwise.")
    var keep = false

    @Option(help: "The address of rider-gateway's live map, such as http://127.0.0.1:8080/map, to be shown.")
    var mapURL: String?

    // The scripts in deploy/ run this command in an environment that the user's terminal does not have.
    @Option(help: ArgumentHelp("What commands that --keep prints begin with.", visibility: .hidden))
    var printedProgram = "sightline"

    @Option(help: ArgumentHelp("The command that ends the demo, as --keep prints it.", visibility: .hidden))
    var printedStop: String?

    @Option(help: ArgumentHelp("The file with what push-worker writes in a dry run.", visibility: .hidden))
    var pushLog: String?

    func validate() throws {
        if let seconds, seconds <= 0 { throw ValidationError("--seconds is more than nothing.") }
        if patience <= 0 { throw ValidationError("--patience is more than nothing.") }
    }

    func run() throws {
        let recording = try input.map { path in
            let file = RecordedFile(path: path)
            let survey = try file.survey()
            StandardError.write(survey.tally.lines(of: path).map { "\($0)\n" }.joined())
            return (file: file, survey: survey)
        }
        let report: DemoReport
        do {
            let terminal = Terminal.current()
            let session = try DemoSession(
                PipelineAccess(), metricsURLs: metricsURL, mapURL: mapURL, pushLog: pushLog, isLive: input == nil,
                terminal: terminal)
            defer {
                session.abandon()
                session.end()
            }
            report = try drive(session, recording)
            terminal.write(report.lines(width: terminal.isInteractive ? terminal.size.columns : nil))
            if let json { try ReportFile.write(ReportFile.json(report), to: json) }
            if keep, !session.isStopped {
                terminal.write(nextSteps(after: report).lines)
                session.end()
                try session.goOn()
            }
        } catch {
            StandardError.write("Error: \(error)\n")
            throw ExitCode(2)
        }
        if report.audit.differences > 0 { throw ExitCode(1) }
    }

    private func drive(
        _ session: DemoSession, _ recording: (file: RecordedFile, survey: RecordedFile.Survey)?
    ) throws -> DemoReport {
        var truth: FleetSimulation?
        if let recording {
            try session.replay(recording.file, recording.survey, speed: speed, seconds: seconds)
        } else {
            truth = try session.simulate(fleet, seconds: seconds ?? (keep ? 60 : nil), goesOn: keep)
        }
        let audit = try session.audit(waitSeconds: patience)
        let ride = truth.flatMap { truth in truth.trips.first { $0.tripID == truth.briefRideID } }
        return DemoReport(
            figures: session.figures, drivers: truth?.drivers ?? [], trips: truth?.trips ?? [], audit: audit,
            notifications: session.notifications(of: ride), isLive: input == nil)
    }

    private func nextSteps(after report: DemoReport) -> DemoNextSteps {
        DemoNextSteps(
            words: DemoNextSteps.Words(program: printedProgram, stop: printedStop), endpoints: metricsURL,
            mapURL: mapURL, figures: report.figures, isSimulated: input == nil)
    }
}
