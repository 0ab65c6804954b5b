import ArgumentParser
import CAllocationCount
import Foundation

/// The pure core alone, in one thread: what decoding, judging, smoothing, arrival times and encoding cost per fix.
@main
struct CoreBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "core-benchmark", abstract: "Measure the core per fix: time, and memory taken from the heap.",
        discussion: """
            Every phase goes over the same records of the same drivers, a warm-up first. Phases: decode (a raw record to a \
            fix), judge (judging and smoothing), encode (the verdict and the driver's state), location (all of these as \
            the location worker's stage does), eta (the eta worker's stage, verdicts read included), broadcast (the \
            broadcast worker's stage).
            """)

    @Argument(help: "Phases; all unless given.")
    var phases: [Phase] = Phase.allCases

    @Option(help: "Drivers that send in turn.")
    var drivers = 5_000

    @Option(help: "Fixes of each driver that are measured, after as many for warming up.")
    var rounds = 40

    @Option(help: "How often each phase is measured; the median counts.")
    var repetitions = 5

    @Flag(help: "Write JSON.")
    var json = false

    func validate() throws {
        if drivers < 1 || rounds < 1 || repetitions < 1 {
            throw ValidationError("Drivers, rounds and repetitions are at least 1.")
        }
    }

    func run() throws {
        let traffic = CoreTraffic(drivers: drivers, rounds: rounds)
        let figures = phases.map { phase in
            PhaseFigure(phase: phase, runs: (0..<repetitions).map { _ in measure(phase, traffic) })
        }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            FileHandle.standardOutput.write(try encoder.encode(figures) + Data("\n".utf8))
        } else {
            for figure in figures { print(figure.text) }
        }
    }

    private func measure(_ phase: Phase, _ traffic: CoreTraffic) -> PhaseRun {
        let work = phase.work(on: traffic)
        work(traffic.warmUp)
        let allocations = sl_allocation_count()
        let began = ContinuousClock.now
        Self.measured { work(traffic.measured) }
        let elapsed = began.duration(to: .now).components
        let count = Double(traffic.measured.count)
        return PhaseRun(
            nanoseconds: (Double(elapsed.seconds) * 1e9 + Double(elapsed.attoseconds) / 1e9) / count,
            allocations: Double(sl_allocation_count() - allocations) / count)
    }

    /// Runs `work` where profilers find it; see `sl_measured`.
    private static func measured(_ work: () -> Void) {
        withoutActuallyEscaping(work) { work in
            var work = work
            withUnsafeMutablePointer(to: &work) { pointer in
                sl_measured({ $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, pointer)
            }
        }
    }
}
