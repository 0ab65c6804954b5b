import ArgumentParser
import CAllocationCount
import Foundation

/// Measures decoding, spoof detection, smoothing, arrival times and encoding per fix, in one thread without Kafka.
@main
struct CoreBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "core-benchmark", abstract: "Measure time and heap allocations of the core per fix.",
        discussion: """
            Every phase processes the same records of the same drivers, after a warm-up. Phases: decode (a raw record to \
            a fix), judge (spoof detection and smoothing), encode (the verdict), location (the processor of the location \
            worker, which includes these phases and the driver's state), eta (the processor of the eta worker, including \
            the decoding of verdicts), broadcast (the processor of the broadcast worker).
            """)

    @Argument(help: "Phases; all by default.")
    var phases: [Phase] = Phase.allCases

    @Option(help: "Number of drivers, which send in turn.")
    var drivers = 5_000

    @Option(help: "Measured fixes per driver, after the same number for the warm-up.")
    var rounds = 40

    @Option(help: "Repetitions of each phase; the median is printed.")
    var repetitions = 5

    @Flag(help: "Write JSON.")
    var json = false

    func validate() throws {
        if drivers < 1 || rounds < 1 || repetitions < 1 {
            throw ValidationError("--drivers, --rounds and --repetitions must be at least 1.")
        }
    }

    func run() throws {
        let traffic = CoreTraffic(drivers: drivers, rounds: rounds)
        let figures = phases.map { phase in
            PhaseFigure(phase: phase, runs: (0..<repetitions).map { _ in measure(phase, traffic) })
        }
        if json {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            FileHandle.standardOutput.write(try encoder.encode(figures) + Data("\n".utf8))
        } else {
            for figure in figures { print(figure.text) }
        }
    }

    /// Runs a phase once and returns its time and allocations per fix.
    private func measure(_ phase: Phase, _ traffic: CoreTraffic) -> (nanoseconds: Double, allocations: Double) {
        let work = phase.work(on: traffic)
        work(traffic.warmUp)
        let allocations = sl_allocation_count()
        let began = ContinuousClock.now
        Self.measured { work(traffic.measured) }
        let nanoseconds = began.duration(to: .now) / .nanoseconds(1)
        let count = Double(traffic.measured.count)
        return (nanoseconds / count, Double(sl_allocation_count() - allocations) / count)
    }

    /// Runs `work` inside `sl_measured`, for profilers.
    private static func measured(_ work: () -> Void) {
        withoutActuallyEscaping(work) { work in
            var work = work
            withUnsafeMutablePointer(to: &work) { pointer in
                sl_measured({ $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, pointer)
            }
        }
    }
}

/// Costs of a phase per fix over all runs.
struct PhaseFigure: Encodable {
    var phase: String
    /// Median of the runs.
    var nanosecondsPerFix: Double
    /// Minimum of the runs, because buffers can still grow in some of them.
    var allocationsPerFix: Double

    init(phase: Phase, runs: [(nanoseconds: Double, allocations: Double)]) {
        self.phase = phase.rawValue
        let times = runs.map(\.nanoseconds).sorted()
        nanosecondsPerFix = (times[times.count / 2] * 10).rounded() / 10
        allocationsPerFix = ((runs.map(\.allocations).min() ?? 0) * 1e4).rounded() / 1e4
    }

    var text: String {
        let name = phase + String(repeating: " ", count: max(0, 10 - phase.count))
        return "\(name) \(nanosecondsPerFix) ns per fix, \(allocationsPerFix) allocations per fix"
    }
}
