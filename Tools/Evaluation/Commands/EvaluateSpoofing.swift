import ArgumentParser
import Recordings
import Runtime
import SightlineCLI

/// `sightline evaluate spoofing`.
struct EvaluateSpoofing: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spoofing", abstract: "Measure how many honest drivers are blamed and how many forgers found.",
        discussion: """
            Judges each recording as it is, then puts attacks into its drives, by seed: each begins after a minute of \
            honest driving at least, and detection counts from its first forged fix to ten fixes after its last. The \
            rules of the ride-hailing case study, taken literally, are measured on the same fixes.
            """)

    /// Towns that are jammed where hours are simulated: one for ten hours, and enough for shares to the percent.
    private static let jammedTowns = 20

    @Argument(help: "Recordings, plain or gzip; - is standard input.", completion: .file())
    var files: [String] = []

    @Option(help: "Also judge so many simulated driver-hours, and put half of the attacks into them.")
    var simulate = 0

    @Option(help: "Attacks of each kind.")
    var attacks = 200

    @Option(name: .customLong("kind"), help: "Only this kind of attack; may be given several times.")
    var kinds: [AttackKind] = []

    @Option(help: "The same seed gives the same attacks and simulated drives.")
    var seed: UInt64 = 1

    @Option(help: "Which traces: those for fitting constants, those for checking them, or all (fit, check, all).")
    var half = EvaluationHalf.all

    @Flag(help: "Also judge every attack once for each signal, with the others silent.")
    var signals = false

    @OptionGroup var output: ReportOptions

    func validate() throws {
        guard !files.isEmpty || simulate > 0 else { throw ValidationError("Name recordings, or --simulate hours.") }
        guard (0...100_000).contains(simulate) else { throw ValidationError("Simulate up to 100,000 hours.") }
        guard (0...100_000).contains(attacks) else { throw ValidationError("Make up to 100,000 attacks of each kind.") }
    }

    func run() throws {
        var options = SpoofingOptions()
        options.attacks = attacks
        if !kinds.isEmpty { options.kinds = AttackKind.allCases.filter(kinds.contains) }
        options.seed = seed
        options.half = half
        options.simulatedHours = simulate
        options.jammedTowns = min(Self.jammedTowns, simulate / 10)
        options.triesSignalsAlone = signals
        let recordings = try Self.recordings(files)
        guard !recordings.isEmpty || simulate > 0 else { throw InputError("None of the files is a recording.") }
        try output.deliver(SpoofingEvaluation.report(on: recordings, options, progress: Self.report))
    }

    /// Reads those files that are recordings.
    static func recordings(_ files: [String]) throws -> [NamedRecording] {
        // A file alone is refused with the reason, and not left out.
        try files.compactMap { try recording($0, isAlone: files.count == 1) }
    }

    /// Reads a file; one of another kind, as may lie between recordings, is mentioned and left out.
    private static func recording(_ path: String, isAlone: Bool) throws -> NamedRecording? {
        if path != "-", !isAlone, try !isRecording(path) {
            report("\(path) has no columns of a recording and is left out")
            return nil
        }
        let (traces, tally) = try RecordedTrace.read(path: path)
        report(tally.lines(of: path).joined(separator: "\n"))
        let name = RecordedTrace.name(of: path)
        return NamedRecording(name: name, traces: traces.map { ReceivedTrace($0, origin: name) })
    }

    private static func isRecording(_ path: String) throws -> Bool {
        let lines = try LineReader(path: path)
        return (try? TraceFile(lines)) != nil
    }

    /// Says on standard error what is being done.
    static func report(_ line: String) { StandardError.write("\(line)\n") }
}

extension AttackKind: ExpressibleByArgument {}
