import CRdKafka
import Domain
import Kafka
import Support

/// Injection of a scenario's faults into a pipeline.
final class FaultInjector {
    private let pipeline: SimulatedPipeline
    private let fleet: SimulatedFleet
    private let world: World

    init(_ pipeline: SimulatedPipeline, _ fleet: SimulatedFleet) {
        self.pipeline = pipeline
        self.fleet = fleet
        world = pipeline.world
    }

    func schedule(_ fault: Fault) {
        world.schedule(after: fault.time - world.now) { [self] in
            world.trace.add("fault: \(fault)")
            inject(fault)
        }
    }

    private func inject(_ fault: Fault) {
        switch fault.kind {
        case .kill, .terminate, .join, .suspend, .shiftClock: injectIntoWorkers(fault)
        case .cut, .silence, .outage, .silentOutage: injectIntoNetwork(fault)
        case .stall, .changeLeader, .refuse, .compact: injectIntoLog(fault)
        case .cutRedis, .crashRedis, .refuseRedis, .pauseRedis: injectIntoRedis(fault)
        case .cutPostgres, .crashPostgres, .refusePostgres, .lockPostgres: injectIntoPostgres(fault)
        case .poison:
            for (index, text) in Self.poison.enumerated() {
                let topic: PipelineTopic = index % 2 == 0 ? .rawLocations : .trips
                fleet.append(
                    topic, "poison-\(fault.target)-\(index)", text.map { Array($0.utf8) },
                    Timestamp(milliseconds: world.wallMilliseconds))
            }
        }
    }

    private static let poison: [String?] = ["{", nil, "[]", "\"text\"", "{\"fixes\":[{}]}", "{\"trip_id\":5}", "", "x"]

    private func after(_ fault: Fault, _ action: @escaping () -> Void) {
        world.schedule(after: fault.duration, action)
    }

    private func injectIntoWorkers(_ fault: Fault) {
        let kind = WorkerKind.allCases[Int(fault.target) % WorkerKind.allCases.count]
        if fault.kind == .join {
            let worker = pipeline.startWorker(kind)
            return after(fault) { worker?.kill() }
        }
        let candidates = pipeline.running(kind)
        guard !candidates.isEmpty else { return }
        let worker = candidates[Int(fault.target / 7) % candidates.count]
        if fault.kind == .shiftClock {
            return worker.process.shiftWallClock(by: (Int64(fault.target % 21) - 10) * .seconds(1000))
        }
        // Mostly while records are on their way to the log.
        guard fault.target % 4 > 0 else { return strike(worker, with: fault) }
        worker.process.onNextWrite = { [self] in
            let delay = Int64(world.random.uniform() * 2e6)
            world.schedule(after: delay) { [self] in strike(worker, with: fault) }
        }
    }

    private func strike(_ worker: SimulatedWorker, with fault: Fault) {
        guard worker.isRunning, !worker.isStopping else { return }
        switch fault.kind {
        case .suspend:
            worker.process.suspend()
            return after(fault) { worker.process.resume() }
        case .terminate: worker.terminate()
        default: worker.kill()
        }
        after(fault) { [pipeline] in pipeline.startWorker(worker.kind) }
    }

    private func injectIntoNetwork(_ fault: Fault) {
        var workers = pipeline.workers
        if fault.kind == .cut || fault.kind == .silence, !workers.isEmpty {
            workers = [workers[Int(fault.target) % workers.count]]
        }
        let links = workers.map { world.log.link(of: $0.process) }
        for link in links {
            if fault.kind == .cut || fault.kind == .outage { link.cut() } else { link.silence() }
        }
        after(fault) { for link in links { link.restore() } }
    }

    private func injectIntoRedis(_ fault: Fault) {
        let redis = world.redis
        switch fault.kind {
        case .crashRedis:
            // All data, that of a moment before, or nothing.
            let losses: [Int64?] = [0, .seconds(1), .seconds(20), nil]
            redis.crash(losing: losses[Int(fault.target % 4)], downtime: fault.duration)
        case .refuseRedis:
            let refusals: [RedisRefusal] = [.loading, .outOfMemory, .cannotSave, .readOnly]
            redis.refuse(refusals[Int(fault.target % 4)], for: fault.duration)
        case .pauseRedis: redis.pause(for: fault.duration)
        default:
            let links = pipeline.workers.map { redis.link(of: $0.process) }
            for link in links { if fault.target % 2 == 0 { link.cut() } else { link.silence() } }
            after(fault) { for link in links { link.restore() } }
        }
    }

    private func injectIntoPostgres(_ fault: Fault) {
        let postgres = world.postgres
        switch (fault.kind, fault.target % 3) {
        // Transactions are flushed after three times `wal_writer_delay` at the latest.
        case (.crashPostgres, 0): postgres.failOver(losing: .seconds(3), for: fault.duration)
        case (.crashPostgres, _):
            postgres.crash(losing: .milliseconds(Int(fault.target % 600)), for: fault.duration)
        case (.refusePostgres, 0): postgres.refuseInserts(for: fault.duration)
        case (.refusePostgres, 1): postgres.refuseConnections(for: fault.duration)
        case (.refusePostgres, _): postgres.terminateSessions()
        case (.lockPostgres, 0): postgres.stall(for: fault.duration)
        case (.lockPostgres, 1): postgres.lock("sink_progress", for: fault.duration)
        case (.lockPostgres, _): postgres.lock("location_history", for: fault.duration)
        default:
            let links = pipeline.workers.map { postgres.link(of: $0.process.name) }
            for link in links { if fault.target % 2 == 0 { link.cut() } else { link.silence() } }
            after(fault) { for link in links { link.restore() } }
        }
    }

    private func injectIntoLog(_ fault: Fault) {
        if fault.kind == .compact {
            for topic in PipelineTopic.allCases where topic.retentionHours == nil {
                for partition in world.log.partitions(of: topic.rawValue) { partition.compact() }
            }
            return
        }
        // The first output topic of a worker more often than others.
        let topics: [PipelineTopic] =
            fault.target % 2 == 0 ? [.locations, .tripEtas, .riderUpdates] : PipelineTopic.allCases
        let topic = topics[Int(fault.target / 2) % topics.count]
        let partitions = world.log.partitions(of: topic.rawValue)
        let partition = partitions[Int(fault.target / 64) % partitions.count]
        world.trace.add("fault affects \(partition.name)")
        switch fault.kind {
        case .stall:
            partition.setStalled(true)
            after(fault) { partition.setStalled(false) }
        case .refuse:
            partition.refusal = RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION
            after(fault) { partition.refusal = nil }
        default:
            // Records that the follower does not have yet are the interesting ones.
            partition.setStalled(true)
            world.schedule(after: fault.duration / 8) {
                partition.changeLeader()
                partition.setStalled(false)
            }
        }
    }
}
