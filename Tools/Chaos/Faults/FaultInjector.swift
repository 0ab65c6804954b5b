import Foundation
import TestSupport

/// Injects faults and waits for the recovery from each; all random values come from the seed.
final class FaultInjector {
    /// Maximum time for the recovery from a fault, in seconds.
    static let timeoutSeconds = 60.0

    let pipeline: ChaosPipeline
    var generator: SeededGenerator
    var violations: [String] = []
    /// Seconds until clients received events again after a kill of the rider-gateway.
    var clientRecoverySeconds: Double?
    /// A check of the current fault that runs after the recovery.
    var afterRecovery: (() -> Void)?

    var fleet: Fleet { pipeline.fleet }
    var services: Services { pipeline.services }
    var lag: LagMonitor { pipeline.lag }
    var partitions: Int { pipeline.partitions }

    init(_ pipeline: ChaosPipeline, seed: UInt64) {
        self.pipeline = pipeline
        generator = SeededGenerator(seed: seed)
    }

    /// Injects one fault and waits for the recovery.
    func perform(_ kind: FaultKind) throws -> FaultOutcome {
        violations = []
        clientRecoverySeconds = nil
        let exitsBefore = fleet.unexpectedExits.count
        let description: String
        do {
            description = try inject(kind)
        } catch let skipped as SkippedFault {
            return FaultOutcome(kind: kind.rawValue, description: skipped.reason, isSkipped: true)
        }
        let workerRecovery = try lag.waitUntilCaughtUp(seconds: Self.timeoutSeconds)
        let lastDelayReason = lag.lastDelayReason
        if workerRecovery == nil {
            violations.append("the lag is not gone after \(Int(Self.timeoutSeconds)) s: \(lag.summary())")
        }
        afterRecovery?()
        afterRecovery = nil
        violations += fleet.unexpectedExits.dropFirst(exitsBefore)
        if let riders = pipeline.riders {
            if try riders.waitForEvents(seconds: Self.timeoutSeconds, fleet) == nil {
                violations.append("clients of rider-gateway receive no events within \(Int(Self.timeoutSeconds)) s")
            }
            violations += riders.newViolations()
        }
        // Limits the load of the machine for the next fault.
        for kind in WorkerKind.allCases where fleet.running(kind).count > 2 { try fleet.scale(kind, to: 2) }
        let isGatewayFault = kind == .gatewayKill
        return FaultOutcome(
            kind: kind.rawValue, description: description,
            recoverySeconds: isGatewayFault ? clientRecoverySeconds : workerRecovery,
            lastDelayReason: isGatewayFault ? nil : lastDelayReason, violations: violations)
    }

    private func inject(_ kind: FaultKind) throws -> String {
        switch kind {
        case .kill: try kill()
        case .killWhileScaling: try killWhileScaling()
        case .killDuringRestore: try killDuringRestore()
        case .zombie: try freeze()
        case .terminate: try terminate()
        case .gatewayKill: try killGateway()
        case .clockJump: try jumpClock()
        case .rollingRestart: try restartAll()
        case .brokerOutage: try interrupt(services.kafka, .closed, seconds: 30)
        case .brokerSilence: try interrupt(services.kafka, .silent, seconds: Double(random(8...20)))
        case .brokerRestart: try restartBroker()
        case .deadLettersRefused: try refuseDeadLetters()
        case .outputPartitionRefused: try refuseOutputPartition()
        case .poison: "\(try sendPoison()) poison records to all partitions of raw and trips"
        case .timestampJump: try jumpTimestamps()
        case .giantBatches: try sendGiantBatches()
        case .redisRestart: try timed("Redis restarted with its data") { try services.restartRedis(keepingData: true) }
        case .redisLoss: try timed("Redis restarted without its data") { try services.restartRedis(keepingData: false) }
        case .slowRedis: try slow(services.redis, .position)
        case .postgresRestart: try timed("Postgres restarted") { try services.restartPostgres() }
        case .postgresCut: try cutPostgres()
        case .postgresFull: try fillPostgres()
        case .postgresLocked: try lockPostgres()
        case .slowPostgres: try slow(services.postgres, .history)
        case .postgresFailover: try failOver()
        case .overlapping: try overlap()
        }
    }

    func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    /// Returns a random number of seconds; the range is in tenths of a second.
    func randomSeconds(tenths: ClosedRange<Int>) -> Double { Double(random(tenths)) / 10 }

    func randomKind() -> WorkerKind { WorkerKind.allCases[random(0...WorkerKind.allCases.count - 1)] }

    func randomWorker(of kind: WorkerKind) throws -> Worker {
        let running = fleet.running(kind)
        guard !running.isEmpty else { throw ChaosError("No \(kind.program) is running.") }
        return running[random(0...running.count - 1)]
    }
}
