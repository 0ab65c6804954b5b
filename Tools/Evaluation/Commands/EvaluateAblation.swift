import ArgumentParser
import SightlineCLI

/// `sightline evaluate ablation`: what each part of the judge is good for.
struct EvaluateAblation: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ablation", abstract: "Measure what changes without each rule and threshold of the judge.",
        discussion: """
            Judges recordings, simulated honest hours and attacks as `evaluate spoofing` does, with every part of the \
            judge, and then without one after the other. A part that moves neither the answers on the recordings nor \
            what becomes of attacks is not needed.
            """)

    @Argument(help: "Recordings, plain or gzip; - is standard input.", completion: .file())
    var files: [String] = []

    @Option(help: "Simulated driver-hours.")
    var simulate = 100

    @Option(help: "Attacks of each kind.")
    var attacks = 100

    @Option(help: "The same seed gives the same attacks and simulated drives.")
    var seed: UInt64 = 1

    @Option(name: .customLong("part"), help: "Only parts whose names begin so; may be given several times.")
    var parts: [String] = []

    @OptionGroup var output: ReportOptions

    func validate() throws {
        guard !files.isEmpty || simulate > 0 else { throw ValidationError("Name recordings, or --simulate hours.") }
        guard (0...100_000).contains(simulate) else { throw ValidationError("Simulate up to 100,000 hours.") }
        guard (1...100_000).contains(attacks) else { throw ValidationError("Make 1 to 100,000 attacks of each kind.") }
        guard !chosen.isEmpty else {
            throw ValidationError(
                "No part of the judge has a name that begins so. Omit --part to measure all parts and see their names.")
        }
    }

    func run() throws {
        var options = SpoofingOptions()
        options.attacks = attacks
        options.seed = seed
        options.simulatedHours = simulate
        let recordings = try EvaluateSpoofing.recordings(files)
        try output.deliver(
            AblationEvaluation.report(on: recordings, options, parts: chosen, progress: EvaluateSpoofing.report))
    }

    private var chosen: [DetectorPart] {
        guard !parts.isEmpty else { return DetectorPart.all }
        return DetectorPart.all.filter { part in parts.contains { part.name.hasPrefix($0) } }
    }
}
