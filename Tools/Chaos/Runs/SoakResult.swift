import Domain
import Foundation

/// How a long run went.
struct SoakResult: Encodable {
    var minutes: Double
    var rate: Int
    var seed: UInt64
    var faults: [FaultOutcome] = []
    var workers: [ResourceMonitor.Verdict] = []
    var audit = RunAudit()

    init(minutes: Double, rate: Int, seed: UInt64) {
        self.minutes = minutes
        self.rate = rate
        self.seed = seed
    }

    /// Everything that broke a promise, in words.
    var violations: [String] {
        var violations = faults.flatMap { fault in fault.violations.map { "\(fault.story): \($0)" } }
        for worker in workers where !worker.isFlat {
            violations.append(
                String(
                    format: "%@ grows by %.2f MiB a minute and %.0f descriptors", worker.worker,
                    worker.mebibytesPerMinute, worker.descriptorGrowth))
        }
        if workers.isEmpty { violations.append("no worker lived long enough for its memory to be judged") }
        if !audit.isClean { violations.append(audit.text) }
        return violations + audit.findings
    }

    var text: String {
        var lines = [
            "", FaultTable(outcomes: faults).text, "", "worker                judged   memory    growth      fds",
        ]
        for worker in workers {
            lines.append(
                worker.worker.padding(toLength: 20, withPad: " ", startingAt: 0)
                    + String(
                        format: " %4.1f min %4.0f MiB %+5.2f MiB/min %+3.0f", worker.minutes, worker.mebibytesAtLast,
                        worker.mebibytesPerMinute, worker.descriptorGrowth))
        }
        lines.append("")
        lines.append("\(Int(minutes)) min, \(faults.count) faults: \(audit.text)")
        lines += violations.map { "VIOLATION: \($0)" }
        return lines.joined(separator: "\n")
    }
}
