import ArgumentParser
import Recordings

/// `sightline evaluate spoofing`: measures rejected honest fixes and detected attacks.
struct EvaluateSpoofing: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spoofing", abstract: "Measure rejected honest fixes and detected attacks.",
        discussion: """
            Processes each recording unchanged, then injects seeded attacks into its drives. Each attack starts after \
            at least one minute of honest driving. It counts as detected if a fix is rejected as spoofed, or \
            the driver is flagged, from its first forged fix to ten fixes after its last one. As a baseline, the \
            literal rules of a ride-hailing case study are measured on the same fixes.
            """)

    /// Number of jammed towns in a run with 200 hours or more; enough drivers for shares in whole percent.
    private static let jammedTowns = 20

    @Argument(help: "Recordings, plain or gzip; - is standard input.", completion: .file())
    var files: [String] = []

    @Option(help: "Simulated driver-hours to process as well; half of the attacks are injected into them.")
    var simulate = 0

    @Option(help: "Attacks of each kind.")
    var attacks = 200

    @Option(name: .customLong("kind"), help: "Only this kind of attack (repeatable).")
    var kinds: [AttackKind] = []

    @Option(help: "Seed of the attacks and simulated drives.")
    var seed: UInt64 = 1

    @Option(help: "Traces to evaluate: fit (constants were fitted on them), check (all others) or all.")
    var half = EvaluationHalf.all

    @Flag(help: "Also evaluate every attack once per signal, with the weights of all other signals set to 0.")
    var signals = false

    @OptionGroup var output: ReportOptions

    func validate() throws {
        guard !files.isEmpty || simulate > 0 else { throw ValidationError("Name recordings, or --simulate hours.") }
        guard (0...100_000).contains(simulate) else { throw ValidationError("--simulate must be 0 to 100,000.") }
        guard (0...100_000).contains(attacks) else { throw ValidationError("--attacks must be 0 to 100,000.") }
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
        // An unreadable file is an error only if it is the only file.
        let recordings = try files.compactMap { try Self.recording($0, isAlone: files.count == 1) }
        guard !recordings.isEmpty || simulate > 0 else { throw InputError("None of the files is a recording.") }
        try output.write(SpoofingEvaluation.report(on: recordings, options, progress: EvaluateCommand.log))
    }

    private static func recording(_ path: String, isAlone: Bool) throws -> NamedRecording? {
        if path != "-", !isAlone, try !isRecording(path) {
            EvaluateCommand.log("Skipping \(path): it does not have the columns of a recording")
            return nil
        }
        let (traces, tally) = try RecordedTrace.read(path: path)
        EvaluateCommand.log(tally.lines(of: path).joined(separator: "\n"))
        let name = RecordedTrace.name(of: path)
        return NamedRecording(name: name, traces: traces.map { ReceivedTrace($0, origin: name) })
    }

    private static func isRecording(_ path: String) throws -> Bool {
        let lines = try LineReader(path: path)
        return (try? TraceFile(lines)) != nil
    }
}

extension AttackKind: ExpressibleByArgument {}
