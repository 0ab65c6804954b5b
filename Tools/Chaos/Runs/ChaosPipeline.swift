import Domain
import Foundation
import Kafka

/// A separate pipeline on the local stack, with workers and load, into which faults are injected.
final class ChaosPipeline {
    /// Name of the database, and prefix of topics and Redis keys.
    let name: String
    let folder: String
    let environment: [String: String]
    let services: Services
    let fleet: Fleet
    let load: Load
    /// Clients of a rider-gateway; `nil` in the soak.
    let riders: Riders?
    let lag: LagMonitor
    let partitions = 6

    /// Creates topics and database, starts the workers and the load, and waits until the workers have caught up.
    ///
    /// `isSoak`: uses fewer and larger requests, and no rider-gateway. The local broker scans all batches of a
    /// partition for each fetch, even without new records. With the usual timing and 2,000 locations per second, the
    /// broker needs two cores after a quarter of an hour, and delays every record by seconds.
    init(
        _ name: String, services: Services, drivers: Int, seed: UInt64, workers: Int = 1, isSoak: Bool = false
    ) throws {
        // A cluster that the suite did not start may still have topics of an earlier run.
        let name = services.usesOtherCluster ? "\(name)_\(Int(Date().timeIntervalSince1970))" : name
        self.name = name
        self.services = services
        folder = "\(services.directory)/log/\(name)"
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var environment = services.environment(named: name)
        if isSoak { environment["KAFKA_FETCH_WAIT_MAX_MS"] = "200" }
        self.environment = environment
        try services.sql("DROP DATABASE IF EXISTS \(name) WITH (FORCE)", database: "postgres")
        try services.sql("CREATE DATABASE \(name)", database: "postgres")
        try ChaosPrograms.sightline(["topics", "create", "--partitions", String(partitions)], environment)
        try ChaosPrograms.sightline(["migrate"], environment)
        fleet = Fleet(environment: environment, folder: folder)
        for kind in WorkerKind.allCases { for _ in 0..<workers { try fleet.start(kind) } }
        load = try Load(
            drivers: drivers, seed: seed, lingerMilliseconds: isSoak ? 500 : 20, environment: environment,
            folder: folder)
        lag = LagMonitor(fleet: fleet, partitions: partitions, recordsPerSecond: Double(drivers))
        guard try lag.waitUntilCaughtUp(seconds: 60) != nil else {
            throw ChaosError("The workers do not catch up at the start: \(lag.summary())")
        }
        riders =
            try isSoak
            ? nil : Riders(environment: environment, name: name, services: services, folder: folder, fleet: fleet)
    }

    /// Ends the load, audits the run, ends the workers, and deletes the database.
    func finish() throws -> RunAudit {
        try load.finish(supervising: fleet)
        let report = "\(folder)/audit.json"
        let text = try ChaosPrograms.sightline(
            ["audit", "--wait", "90", "--json", report], environment, codes: [0, 1])
        let received = try riders?.finish(fleet)
        fleet.endAll()
        services.reset()
        try services.sql("DROP DATABASE IF EXISTS \(name) WITH (FORCE)", database: "postgres")
        try deleteTopics()
        var audit = try RunAudit(reportPath: report, text: text)
        if let received { try audit.addReceived(reportPath: received.path, text: received.text) }
        return audit
    }

    /// Deletes the topics on a cluster that the suite did not start; the local broker ends with the suite.
    private func deleteTopics() throws {
        guard services.usesOtherCluster else { return }
        let configuration = KafkaConfiguration(
            bootstrapServers: environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "", clientID: "chaos")
        let admin = try KafkaAdmin(configuration) { _ in }
        _ = try admin.delete(PipelineTopic.allCases.map { "\(name).\($0.rawValue)" })
    }
}
