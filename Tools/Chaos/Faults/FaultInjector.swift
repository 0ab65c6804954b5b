import Foundation
import TestSupport

/// Brings faults about, one at a time.
///
/// Each returns when the fault is over and the pipeline is left to recover; everything random comes from the seed.
final class FaultInjector {
    let fleet: Fleet
    let riders: Riders?
    let services: Services
    let lag: LagMonitor
    let database: String
    let environment: [String: String]
    let partitions: Int
    let folder: String
    var generator: SeededGenerator
    /// Things noticed while the fault lasted that should not have been.
    var violations: [String] = []
    /// Of a fault that hits the rider-gateway alone: after how many seconds its clients were served again.
    var clientRecoverySeconds: Double?
    /// How long the pipeline may take to recover from a fault.
    private(set) var patienceSeconds = 60.0
    /// Looks at what can be seen only once the pipeline has caught up.
    var afterRecovery: (() -> Void)?

    init(
        fleet: Fleet, riders: Riders?, services: Services, lag: LagMonitor, database: String,
        environment: [String: String], partitions: Int, folder: String, seed: UInt64
    ) {
        self.fleet = fleet
        self.riders = riders
        self.services = services
        self.lag = lag
        self.database = database
        self.environment = environment
        self.partitions = partitions
        self.folder = folder
        generator = SeededGenerator(seed: seed)
    }

    /// Brings one fault about and waits for the recovery.
    func perform(_ kind: FaultKind, patienceSeconds: Double = 60) throws -> FaultOutcome {
        violations = []
        clientRecoverySeconds = nil
        self.patienceSeconds = patienceSeconds
        let surprisesBefore = fleet.surprises.count
        let story: String
        do {
            story = try bringAbout(kind)
        } catch let skipped as SkippedFault {
            return FaultOutcome(kind: kind.rawValue, story: skipped.reason, isSkipped: true)
        }
        let workerRecovery = try lag.waitUntilCaughtUp(seconds: patienceSeconds)
        let lastHindrance = lag.lastHindrance
        if workerRecovery == nil {
            violations.append("the lag is not back after \(Int(patienceSeconds)) s: \(lag.summary())")
        }
        afterRecovery?()
        afterRecovery = nil
        violations += fleet.surprises.dropFirst(surprisesBefore)
        if let riders {
            if try riders.hearAgain(seconds: patienceSeconds, fleet) == nil {
                violations.append("clients of rider-gateway hear nothing after \(Int(patienceSeconds)) s")
            }
            violations += riders.takeViolations()
        }
        try tidy()
        // The workers have nothing to recover from when the gateway alone was hit.
        let isOfGateway = kind == .gatewayKill
        return FaultOutcome(
            kind: kind.rawValue, story: story, recoverySeconds: isOfGateway ? clientRecoverySeconds : workerRecovery,
            lastHindrance: isOfGateway ? nil : lastHindrance, violations: violations)
    }

    private func bringAbout(_ kind: FaultKind) throws -> String {
        switch kind {
        case .kill: try kill()
        case .killWhileScaling: try killWhileScaling()
        case .killDuringRestore: try killDuringRestore()
        case .zombie: try freeze()
        case .terminate: try terminate()
        case .gatewayKill: try killGateway()
        case .clockJump: try jumpClock()
        case .rollingUpgrade: try upgrade()
        case .brokerOutage: try shut(services.kafka, .closed, seconds: 30)
        case .brokerSilence: try shut(services.kafka, .silent, seconds: Double(random(8...20)))
        case .brokerRestart: try restartBroker()
        case .deadLettersRefused: try refuseDeadLetters()
        case .outputPartitionRefused: try refuseOutputPartition()
        case .poison: try poison()
        case .timestampJump: try jumpTimestamps()
        case .giantBatches: try sendGiantBatches()
        case .redisRestart: try restartRedis(keepingData: true)
        case .redisLoss: try restartRedis(keepingData: false)
        case .slowRedis: try slow(services.redis, .position)
        case .postgresRestart: try restartPostgres()
        case .postgresCut: try cutPostgres()
        case .postgresFull: try fillPostgres()
        case .postgresLocked: try lockPostgres()
        case .slowPostgres: try slow(services.postgres, .history)
        case .postgresFailover: try failOver()
        case .overlapping: try overlap()
        }
    }

    /// No more than two workers of a kind go into the next fault: the machine is to have room.
    private func tidy() throws {
        for kind in WorkerKind.allCases where fleet.running(kind).count > 2 { try fleet.scale(kind, to: 2) }
    }

    func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    func randomKind() -> WorkerKind { WorkerKind.allCases[random(0...WorkerKind.allCases.count - 1)] }

    /// One of the running workers of a kind.
    func victim(_ kind: WorkerKind) throws -> Worker {
        let running = fleet.running(kind)
        guard !running.isEmpty else { throw ChaosError("No \(kind.program) runs.") }
        return running[random(0...running.count - 1)]
    }
}
