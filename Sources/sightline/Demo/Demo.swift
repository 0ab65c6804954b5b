import ArgumentParser
import Runtime
import Simulation

/// `sightline demo`: feeds the pipeline, shows its progress, and audits the run.
struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Feed running workers with a simulated fleet or a recording, and audit the run.",
        discussion: """
            The broker, the stores and the workers must be running (deploy/demo starts them). While records are sent, \
            a table shows the progress. Then the command waits for the workers and audits the results of this run, as \
            `sightline audit` does: topics, history and Redis. Use the same environment as for the workers, because \
            the audit processes the records again with their settings.

            The report contains the figures of the run, a comparison with the simulation, and the audit.

            Ctrl-C or SIGTERM stops sending; a second one exits the command.

            With --keep the simulated fleet continues after the report, until Ctrl-C or SIGTERM. The command then prints \
            commands with drivers and places of this run, and the addresses of the workers.

            Exit code: 0 if the audit finds no difference, 1 if it finds one or the recording is unreadable, 2 if the \
            run failed.
            """)

    @OptionGroup var fleet: FleetOptions

    @Option(help: "Stop after this many seconds; by default at Ctrl-C or the end of the recording.")
    var seconds: Double?

    @Option(help: "Replay this file (CSV, GPX or NDJSON, plain or gzip) instead of simulating.", completion: .file())
    var input: String?

    @Option(help: "Speed of the replay as a factor, or max.")
    var speed = ReplaySpeed.unlimited

    @Option(help: "Also write the report to this file, as JSON.", completion: .file())
    var json: String?

    @Option(help: "HTTP endpoint of a worker, such as http://127.0.0.1:9101 (repeatable), to show its lag.")
    var metricsURL: [String] = []

    @Option(
        help: ArgumentHelp(
            "Maximum wait for the workers to process everything, in seconds.",
            discussion: "The audit counts a slower worker as a difference."))
    var patience = 120.0

    @Flag(help: "Continue after the report until Ctrl-C; the run then takes 60 s by default (--seconds).")
    var keep = false

    @Option(help: "Address of the live map to print, such as http://127.0.0.1:8080/map.")
    var mapURL: String?

    // The scripts in deploy/ set an environment that the user's terminal does not have.
    @Option(help: ArgumentHelp("Prefix of the commands that --keep prints.", visibility: .hidden))
    var printedProgram = "sightline"

    @Option(help: ArgumentHelp("The command that stops the demo, printed by --keep.", visibility: .hidden))
    var printedStop: String?

    @Option(help: ArgumentHelp("Log of push-worker in a dry run.", visibility: .hidden))
    var pushLog: String?

    func validate() throws {
        if let seconds, seconds <= 0 { throw ValidationError("--seconds must be above 0.") }
        if patience <= 0 { throw ValidationError("--patience must be above 0.") }
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
                let steps = DemoNextSteps(
                    program: printedProgram, stop: printedStop, endpoints: metricsURL, mapURL: mapURL,
                    figures: report.figures, isSimulated: input == nil)
                terminal.write(steps.lines)
                session.end()
                try session.keepRunning()
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
            truth = try session.simulate(fleet, seconds: seconds ?? (keep ? 60 : nil), continues: keep)
        }
        let audit = try session.audit(waitSeconds: patience)
        let ride = truth.flatMap { truth in truth.trips.first { $0.tripID == truth.shortRideID } }
        return DemoReport(
            figures: session.figures, drivers: truth?.drivers ?? [], trips: truth?.trips ?? [], audit: audit,
            notifications: session.notifications(of: ride), isLive: input == nil)
    }
}
