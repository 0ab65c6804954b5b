import ArgumentParser
import Foundation

/// `chaos soak`: a long run under load with repeated faults.
struct Soak: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run for a long time with random faults and limits for memory, descriptors and recovery.")

    @Option(help: "Duration in minutes.")
    var minutes = 30.0

    @Option(help: "Approximate locations per second.")
    var rate = 2000

    @Option(help: "Seed of the faults and of the fleet.")
    var seed: UInt64 = 1

    @Option(help: "Inject only these faults, in random order.")
    var fault: [FaultKind] = []

    @Option(help: "Also write the results to this file, as JSON.", completion: .file())
    var json: String?

    func validate() throws {
        if minutes <= 0 { throw ValidationError("--minutes must be greater than 0.") }
        if !(20...20_000).contains(rate) { throw ValidationError("--rate must be between 20 and 20,000.") }
    }

    func run() throws {
        StopRequest.listen()
        // The local broker assigns partitions half a session timeout after a join; a short timeout leaves most of the
        // recovery limit to the pipeline.
        let result = try measure(Services(sessionTimeoutSeconds: 4))
        if let json { try Chaos.write(result, to: json) }
        print(result.text)
        guard result.violations.isEmpty else { throw ExitCode(1) }
    }
}

extension Soak {
    /// Seconds between the recovery from a fault and the next fault.
    private static let interval = 35.0
    /// Maximum seconds until the lag is gone.
    private static let maximumRecoverySeconds = 15.0
    /// Duration of the lag measurement before each fault, in seconds.
    private static let baselineSeconds = 5.0
    /// Minutes before memory is measured, because memory grows while workers fill their state of five minutes.
    private var warmUpMinutes: Double { min(6, minutes / 3) }
    /// Measured fixes per second of a simulated driver.
    private static let fixesPerDriver = 0.95

    // Excluded, among others: faults with several rebalances; a broker that is silent for longer than a session,
    // because requests must time out before workers can join again; a failover, because later faults would affect the
    // unused server; and the loss of Redis, because its recovery depends on the length of the topics.
    private static let kinds: [FaultKind] = [
        .poison, .postgresRestart, .kill, .slowRedis, .postgresCut, .redisRestart, .zombie,
        .brokerOutage, .postgresFull, .deadLettersRefused, .terminate, .postgresLocked, .slowPostgres,
    ]

    private func measure(_ services: Services) throws -> SoakResult {
        services.reset()
        let kinds = fault.isEmpty ? Self.kinds : fault
        let drivers = Int(Double(rate) / Self.fixesPerDriver)
        let pipeline = try ChaosPipeline("soak_\(seed)", services: services, drivers: drivers, seed: seed, isSoak: true)
        let resources = ResourceMonitor(warmUpMinutes: warmUpMinutes, minimumMinutes: minutes / 6)
        pipeline.fleet.onSupervise = { resources.sample($0) }
        let began = ContinuousClock.now
        let injector = FaultInjector(pipeline, seed: seed)
        var result = SoakResult(minutes: minutes, rate: rate, seed: seed)
        log(began, "\(drivers) drivers; the load is running")
        // The outage comes first, in the warm-up, because it causes the largest backlog and batch memory.
        var remaining = kinds.filter { $0 == .brokerOutage }
        while began.elapsedSeconds < minutes * 60 {
            try pipeline.fleet.wait(
                seconds: min(Self.interval, max(1, minutes * 60 - began.elapsedSeconds)) - Self.baselineSeconds)
            try pipeline.lag.measureBaseline(seconds: Self.baselineSeconds)
            try pipeline.load.check()
            guard began.elapsedSeconds < minutes * 60 - 60 else { continue }
            if remaining.isEmpty { remaining = kinds.shuffled(using: &injector.generator) }
            var outcome = try injector.perform(remaining.removeLast())
            if let seconds = outcome.recoverySeconds, seconds > Self.maximumRecoverySeconds {
                outcome.violations.append("recovery took more than \(Text.seconds(Self.maximumRecoverySeconds))")
            }
            result.faults.append(outcome)
            log(began, outcome.text)
            for violation in outcome.violations { log(began, "VIOLATION: \(violation)") }
            log(began, figures(of: pipeline.fleet))
        }
        result.workers = resources.trends
        result.audit = try pipeline.finish()
        return result
    }

    private func figures(of fleet: Fleet) -> String {
        WorkerKind.allCases.map { kind in
            let all = fleet.running(kind).compactMap { ResourceMonitor.figures(of: $0) }
            let list = all.map { "\(Int($0.mebibytes)) MiB \(Int($0.descriptors)) fds" }
            return "\(kind.rawValue) \(list.joined(separator: " + "))"
        }.joined(separator: ", ")
    }

    private func log(_ began: ContinuousClock.Instant, _ text: String) {
        let seconds = Int(began.elapsedSeconds)
        print("soak \(seconds / 60):\(String(format: "%02d", seconds % 60)): \(text)")
        fflush(nil)
    }
}

struct SoakResult: Encodable {
    var minutes: Double
    var rate: Int
    var seed: UInt64
    var faults: [FaultOutcome] = []
    var workers: [ResourceMonitor.Trend] = []
    var audit = RunAudit()

    var violations: [String] {
        var violations = faults.flatMap { fault in fault.violations.map { "\(fault.description): \($0)" } }
        for worker in workers where !worker.isFlat {
            violations.append(
                String(
                    format: "%@ grows by %.2f MiB a minute and %.0f descriptors", worker.worker,
                    worker.mebibytesPerMinute, worker.descriptorGrowth))
        }
        if workers.isEmpty { violations.append("no worker ran long enough to evaluate its memory") }
        if !audit.isClean { violations.append(audit.text) }
        return violations + audit.findings
    }

    var text: String {
        var lines = [
            "", FaultTable(outcomes: faults).text, "", "worker                  time   memory    growth      fds",
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
