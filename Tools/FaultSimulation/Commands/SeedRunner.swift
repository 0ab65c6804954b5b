import CFaultSimulation
import ChildProcesses
import Dispatch
import Foundation
import Synchronization

/// Run of many seeds in several processes.
struct SeedRunner {
    /// Seeds per process; a process is used for a few seeds only, so that a crash affects few.
    private static let chunk: UInt64 = 20

    let first: UInt64
    let count: UInt64
    let jobs: Int
    var stopsAtFailure = false
    private var virtualSeconds = 0.0
    private var realSeconds = 0.0
    private var records = 0
    private var done = 0
    private var failed: [UInt64] = []

    init(first: UInt64, count: UInt64, jobs: Int) {
        self.first = first
        self.count = count
        self.jobs = jobs
    }

    /// Runs all seeds; prints failures and progress.
    /// - Returns: the seeds with violations.
    mutating func run() throws -> [UInt64] {
        // A backtrace takes longer than many seeds; `--seed` prints it.
        setenv("SWIFT_BACKTRACE", "enable=no", 1)
        let began = sl_real_nanoseconds()
        let starts = Array(stride(from: first, to: first + count, by: Int(Self.chunk)))
        let next = Atomic(0)
        let results = Mutex<[(seed: UInt64, result: SeedRun.Result)]>([])
        let (end, fails) = (first + count, stopsAtFailure)
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                guard index < starts.count else { return }
                let found = Self.runChunk(starts[index]..<min(end, starts[index] + Self.chunk), stopsAtFailure: fails)
                let done = results.withLock { results in
                    results += found
                    return results.count
                }
                Self.report(found, done: done)
                if fails, found.contains(where: { !$0.result.violations.isEmpty }) {
                    next.store(starts.count, ordering: .relaxed)
                }
            }
        }
        for (seed, result) in results.withLock({ $0 }) {
            done += 1
            virtualSeconds += result.virtualSeconds
            records += result.records
            if !result.violations.isEmpty { failed.append(seed) }
        }
        realSeconds = Double(sl_real_nanoseconds() - began) / 1e9
        return failed.sorted()
    }

    private static func report(_ found: [(seed: UInt64, result: SeedRun.Result)], done: Int) {
        for (seed, result) in found where !result.violations.isEmpty {
            print("\(Scenario(seed: seed))\n\(result.description)")
        }
        if done % 200 < found.count { print("\(done) seeds done") }
        fflush(nil)
    }

    /// Runs seeds in a process of their own; one by one if the process crashes.
    private static func runChunk(
        _ seeds: Range<UInt64>, stopsAtFailure: Bool
    ) -> [(seed: UInt64, result: SeedRun.Result)] {
        let arguments =
            ["--as-job", "--first", "\(seeds.lowerBound)", "--seeds", "\(seeds.count)"]
            + (stopsAtFailure ? ["--fail-fast"] : [])
        do {
            let (ending, output) = try ChildProcess.run("/proc/self/exe", arguments, includesErrors: true)
            let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
            let results = lines.compactMap { SeedRun.Result.parse($0) }
            if ending.code == 0 { return results }
            guard seeds.count == 1 else {
                return seeds.flatMap { runChunk($0..<$0 + 1, stopsAtFailure: stopsAtFailure) }
            }
            let last = lines.suffix(20).joined(separator: "\n")
            return [(seeds.lowerBound, SeedRun.Result(violations: ["The simulation crashed (\(ending)):\n\(last)"]))]
        } catch {
            return [(seeds.lowerBound, SeedRun.Result(violations: ["The process could not be started: \(error)"]))]
        }
    }

    /// The figures of all seeds, as one sentence.
    var summary: String {
        let hours = virtualSeconds / 3600
        let perMinute = hours / (realSeconds / 60)
        return "\(done) seeds, \(records) records of drivers, \(Self.text(hours)) simulated hours in "
            + "\(Self.text(realSeconds)) s (\(Self.text(perMinute)) hours per minute with \(jobs) processes), "
            + "\(failed.count) seeds with violations."
    }

    private static func text(_ number: Double) -> String { String(format: "%.1f", number) }
}
