import Domain
import Foundation

/// Faults of what the workers depend on.
extension FaultInjector {
    func shut(_ door: Proxy, _ mode: Proxy.Mode, seconds: Double) throws -> String {
        door.set(mode)
        try fleet.wait(seconds: seconds)
        door.set(.open)
        return "\(door.name) \(mode == .closed ? "cut off" : "silent") for \(Int(seconds)) s"
    }

    func restartRedis(keepingData: Bool) throws -> String {
        let began = ContinuousClock.now
        try services.restartRedis(keepingData: keepingData)
        return "Redis restarted \(keepingData ? "with" : "without") its data in \(Text.seconds(began.seconds))"
    }

    func restartPostgres() throws -> String {
        let began = ContinuousClock.now
        try services.restartPostgres()
        return "Postgres restarted in \(Text.seconds(began.seconds))"
    }

    /// What a sink fetches ahead is bounded to 32 MiB, and as much again may be in the batch at hand and its commands.
    private static let mostGrowthKibibytes = 96 << 10

    /// A store that answers slowly: the worker must wait, and not gather.
    func slow(_ door: Proxy, _ kind: WorkerKind) throws -> String {
        let rate = random(2...8) * 1000
        let workers = fleet.running(kind)
        let before = workers.map { ProcessFigures(of: $0.id)?.residentKibibytes ?? 0 }
        door.set(.slow(bytesPerSecond: rate))
        try fleet.wait(seconds: 12)
        for (worker, before) in zip(workers, before) where before > 0 {
            let growth = (ProcessFigures(of: worker.id)?.residentKibibytes ?? 0) - before
            guard growth > Self.mostGrowthKibibytes else { continue }
            violations.append("\(worker.name) grew by \(growth >> 10) MiB meanwhile")
        }
        door.set(.open)
        return "\(door.name) at \(rate / 1000) kB/s per connection for 12 s"
    }

    func cutPostgres() throws -> String {
        let count = random(2...5)
        services.postgres.cutInMidst(count: count)
        _ = try fleet.wait(upTo: 20) { services.postgres.cutsDone == count }
        let done = services.postgres.cutsDone
        services.postgres.cutInMidst(count: 0)
        if done == 0 { violations.append("nothing was large enough to be cut in its midst") }
        return "\(done) connections to Postgres cut in the middle of a COPY"
    }

    /// Every write is answered as a server with a full disk answers.
    func fillPostgres() throws -> String {
        let seconds = random(4...10)
        try services.sql(
            """
            CREATE FUNCTION chaos_disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
            END $$;
            CREATE TRIGGER chaos_disk_full BEFORE INSERT ON location_history
                FOR EACH STATEMENT EXECUTE FUNCTION chaos_disk_full();
            """, database: database)
        try fleet.wait(seconds: Double(seconds))
        try services.sql(
            "DROP TRIGGER chaos_disk_full ON location_history; DROP FUNCTION chaos_disk_full();", database: database)
        return "Postgres answers disk full (53100) for \(seconds) s"
    }

    func lockPostgres() throws -> String {
        let seconds = random(5...15)
        let table = ["location_history", "sink_progress", "trip_events"][random(0...2)]
        let lock = try services.beginSQL(
            "BEGIN; LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(\(seconds)); COMMIT;",
            database: database)
        _ = try fleet.wait(upTo: Double(seconds) + 20) { !lock.isRunning }
        if lock.ending != .exit(0) { violations.append("the lock on \(table) could not be had") }
        return "\(table) locked for \(seconds) s"
    }

    /// A standby that lacks the newest commits takes over.
    func failOver() throws -> String {
        let port = try services.copyPostgres(database: database)
        let behind = Double(random(20...60)) / 10
        try fleet.wait(seconds: behind)
        services.postgres.lead(to: port)
        return "Postgres failed over to a copy that lacks the last \(Text.seconds(behind))"
    }

    /// The broker takes no dead letters while records come that cannot be read.
    func refuseDeadLetters() throws -> String {
        let seconds = random(5...10)
        services.kafka.refuse(ProduceRefusal(topic: "driver.locations.dead-letter"))
        let count = try sendPoison()
        try fleet.wait(seconds: Double(seconds))
        let refusals = services.kafka.refuse(nil)
        if refusals == 0 { violations.append("no worker tried to write a dead letter") }
        return "dead letters refused for \(seconds) s (\(refusals) attempts) with \(count) poison records"
    }

    /// The broker refuses one partition of an output, as when it has no leader, and the others must go on.
    func refuseOutputPartition() throws -> String {
        let (topic, kind): (PipelineTopic, WorkerKind) = [
            (.locations, .location), (.tripEtas, .eta), (.riderUpdates, .broadcast),
        ][random(0...2)]
        let partition = random(0...partitions - 1)
        services.kafka.refuse(ProduceRefusal(topic: "\(database).\(topic.rawValue)", partition: Int32(partition)))
        try fleet.wait(seconds: Double(random(6...12)))
        let others = Set(0..<partitions).subtracting([partition])
        // The gauge of the lag stands still in a worker that waits.
        let taken = lag.recordsIn(kind)
        if try fleet.wait(upTo: 20, until: { lag.recordsIn(kind) > taken + 20 && lag.isSmall(kind, in: others) }) == nil
        {
            violations.append("the other partitions of \(topic.rawValue) wait as well")
        }
        let refusals = services.kafka.refuse(nil)
        if refusals == 0 { violations.append("no worker tried to write to partition \(partition)") }
        return "partition \(partition) of \(topic.rawValue) refused (\(refusals) attempts)"
    }

    /// A broker that keeps its data is stopped and started.
    func restartBroker() throws -> String {
        guard let command = services.brokerRestartCommand else {
            throw SkippedFault(
                reason: "the local broker keeps its data in memory (set CHAOS_KAFKA_BOOTSTRAP_SERVERS and "
                    + "CHAOS_BROKER_RESTART_COMMAND)")
        }
        let began = ContinuousClock.now
        try ChaosPrograms.command(["bash", "-c", command])
        return "the broker restarted in \(Text.seconds(began.seconds))"
    }

    /// A worker dies and unreadable records arrive while one service after the other is away.
    func overlap() throws -> String {
        let doors = [services.kafka, services.redis, services.postgres].shuffled(using: &generator)
        let mode: Proxy.Mode = random(0...1) == 0 ? .closed : .silent
        doors[0].set(mode)
        try fleet.wait(seconds: Double(random(5...20)) / 10)
        let worker = try victim(randomKind())
        fleet.kill(worker)
        doors[1].set(.closed)
        try fleet.wait(seconds: Double(random(10...40)) / 10)
        try fleet.start(worker.kind)
        try fleet.wait(seconds: Double(random(10...40)) / 10)
        doors[0].set(.open)
        if doors[1] !== services.kafka { _ = try sendPoison() }
        try fleet.wait(seconds: Double(random(5...20)) / 10)
        doors[1].set(.open)
        let away = mode == .closed ? "cut off" : "silent"
        return "\(doors[0].name) \(away), kill -9 \(worker.name), then \(doors[1].name) cut off"
    }

    func poison() throws -> String { "\(try sendPoison()) poison records over all partitions of raw and trips" }
}
