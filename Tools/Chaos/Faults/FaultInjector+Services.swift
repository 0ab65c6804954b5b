import Domain
import Foundation

/// Faults of the broker, Redis and Postgres.
extension FaultInjector {
    func interrupt(_ proxy: Proxy, _ mode: Proxy.Mode, seconds: Double) throws -> String {
        proxy.set(mode)
        try fleet.wait(seconds: seconds)
        proxy.set(.open)
        return "\(proxy.name) \(mode == .closed ? "cut off" : "silent") for \(Int(seconds)) s"
    }

    /// Performs an action and returns `text` with the duration.
    func timed(_ text: String, _ action: () throws -> Void) rethrows -> String {
        let began = ContinuousClock.now
        try action()
        return "\(text) in \(Text.seconds(began.elapsedSeconds))"
    }

    /// Limit for the memory growth of a sink: 32 MiB each for prefetched records, its batch, and its commands.
    private static let maximumGrowthMebibytes = 96.0

    /// Throttles a store for 12 s; the memory of its workers must not grow by more than the limit.
    func slow(_ proxy: Proxy, _ kind: WorkerKind) throws -> String {
        let rate = random(2...8) * 1000
        let workers = fleet.running(kind)
        let before = workers.map { ResourceMonitor.figures(of: $0)?.mebibytes ?? 0 }
        proxy.set(.slow(bytesPerSecond: rate))
        try fleet.wait(seconds: 12)
        for (worker, before) in zip(workers, before) where before > 0 {
            let growth = (ResourceMonitor.figures(of: worker)?.mebibytes ?? 0) - before
            guard growth > Self.maximumGrowthMebibytes else { continue }
            violations.append("\(worker.name) grew by \(Int(growth)) MiB")
        }
        proxy.set(.open)
        return "\(proxy.name) at \(rate / 1000) kB/s per connection for 12 s"
    }

    func cutPostgres() throws -> String {
        let count = random(2...5)
        services.postgres.cutLargeSends(count: count)
        _ = try fleet.wait(upTo: 20) { services.postgres.cutsDone == count }
        let done = services.postgres.cutsDone
        services.postgres.cutLargeSends(count: 0)
        if done == 0 { violations.append("no write was large enough to be cut") }
        return "\(done) connections to Postgres cut in the middle of a COPY"
    }

    /// Fails every insert into `location_history` for 4 to 10 s, with the error of a full disk.
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
            """, database: pipeline.name)
        try fleet.wait(seconds: Double(seconds))
        try services.sql(
            "DROP TRIGGER chaos_disk_full ON location_history; DROP FUNCTION chaos_disk_full();",
            database: pipeline.name)
        return "Postgres answers disk full (53100) for \(seconds) s"
    }

    func lockPostgres() throws -> String {
        let seconds = random(5...15)
        let table = ["location_history", "sink_progress", "trip_events"][random(0...2)]
        let lock = try services.startSQL(
            "BEGIN; LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(\(seconds)); COMMIT;",
            database: pipeline.name)
        _ = try fleet.wait(upTo: Double(seconds) + 20) { !lock.isRunning }
        if lock.ending != .exit(0) { violations.append("the lock on \(table) failed") }
        return "\(table) locked for \(seconds) s"
    }

    /// Redirects workers to a copy of Postgres that lacks the newest commits.
    func failOver() throws -> String {
        let port = try services.copyPostgres(database: pipeline.name)
        let behind = randomSeconds(tenths: 20...60)
        try fleet.wait(seconds: behind)
        services.postgres.redirect(to: port)
        return "Postgres failed over to a copy that lacks the last \(Text.seconds(behind))"
    }

    /// Refuses writes of dead letters while unreadable records arrive.
    func refuseDeadLetters() throws -> String {
        let seconds = random(5...10)
        services.kafka.refuse(ProduceRefusal(topic: "driver.locations.dead-letter"))
        let count = try sendPoison()
        try fleet.wait(seconds: Double(seconds))
        let refusals = services.kafka.refuse(nil)
        if refusals == 0 { violations.append("no worker tried to write a dead letter") }
        return "dead letters refused for \(seconds) s (\(refusals) attempts) with \(count) poison records"
    }

    /// Refuses writes to one partition of an output topic with NOT_LEADER; the other partitions must continue.
    func refuseOutputPartition() throws -> String {
        let (topic, kind): (PipelineTopic, WorkerKind) = [
            (.locations, .location), (.tripEtas, .eta), (.riderUpdates, .broadcast),
        ][random(0...2)]
        let partition = random(0...partitions - 1)
        services.kafka.refuse(ProduceRefusal(topic: "\(pipeline.name).\(topic.rawValue)", partition: Int32(partition)))
        try fleet.wait(seconds: Double(random(6...12)))
        let others = Set(0..<partitions).subtracting([partition])
        // A blocked worker does not update its lag, so the number of records must also grow.
        let before = lag.recordsIn(kind)
        if try fleet.wait(upTo: 20, until: { lag.recordsIn(kind) > before + 20 && lag.isSmall(kind, in: others) })
            == nil
        {
            violations.append("the other partitions of \(topic.rawValue) do not continue")
        }
        let refusals = services.kafka.refuse(nil)
        if refusals == 0 { violations.append("no worker tried to write to partition \(partition)") }
        return "partition \(partition) of \(topic.rawValue) refused (\(refusals) attempts)"
    }

    /// Restarts the broker, which must keep its data.
    func restartBroker() throws -> String {
        guard let command = services.brokerRestartCommand else {
            throw SkippedFault(
                reason: "the local broker keeps its data in memory (set CHAOS_KAFKA_BOOTSTRAP_SERVERS and "
                    + "CHAOS_BROKER_RESTART_COMMAND)")
        }
        return try timed("the broker restarted") { try ChaosPrograms.command(["bash", "-c", command]) }
    }

    /// Makes two services unavailable at overlapping times, and meanwhile kills a worker and sends unreadable records.
    func overlap() throws -> String {
        let proxies = [services.kafka, services.redis, services.postgres].shuffled(using: &generator)
        let mode: Proxy.Mode = random(0...1) == 0 ? .closed : .silent
        proxies[0].set(mode)
        try fleet.wait(seconds: randomSeconds(tenths: 5...20))
        let worker = try randomWorker(of: randomKind())
        fleet.kill(worker)
        proxies[1].set(.closed)
        try fleet.wait(seconds: randomSeconds(tenths: 10...40))
        try fleet.start(worker.kind)
        try fleet.wait(seconds: randomSeconds(tenths: 10...40))
        proxies[0].set(.open)
        if proxies[1] !== services.kafka { _ = try sendPoison() }
        try fleet.wait(seconds: randomSeconds(tenths: 5...20))
        proxies[1].set(.open)
        let state = mode == .closed ? "cut off" : "silent"
        return "\(proxies[0].name) \(state), kill -9 \(worker.name), then \(proxies[1].name) cut off"
    }
}
