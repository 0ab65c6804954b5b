import Domain
import Foundation
import Kafka

/// A pipeline of its own on the local stack, with workers and load: where faults are brought about.
final class Arena {
    let name: String
    let folder: String
    let environment: [String: String]
    let services: Services
    let fleet: Fleet
    let load: Load
    /// Clients that follow the run; `nil` where none do.
    let riders: Riders?
    let lag: LagMonitor
    let partitions = 6

    /// How easy it is made for the broker.
    enum Pace {
        /// As everywhere: fetches are answered and records sent within some 20 ms.
        case usual
        /// Fewer and larger requests.
        ///
        /// The local broker looks through all batches of a partition for each fetch, whether there is something new or
        /// not: at the usual pace and 2,000 locations a second, it takes two cores after a quarter of an hour, and
        /// every record seconds.
        case sparing

        /// How long the load's records wait for company, in milliseconds.
        fileprivate var lingerMilliseconds: Int { self == .usual ? 20 : 500 }
        /// What the workers are told.
        fileprivate var settings: [String: String] { self == .usual ? [:] : ["KAFKA_FETCH_WAIT_MAX_MS": "200"] }
    }

    /// Makes topics and database, starts one worker of each kind and the load, and waits until all of it runs.
    ///
    /// `build`: makes the topics and the database, and the workers are of it. `riders`: whether clients follow the run
    /// over a rider-gateway.
    init(
        _ name: String, services: Services, drivers: Int, seed: UInt64, workers: Int = 1, pace: Pace = .usual,
        build: Build = .own, riders: Bool = false
    ) throws {
        // Topics of an earlier run may still be in a cluster that outlives the suite.
        let name = services.usesOtherCluster ? "\(name)_\(Int(Date().timeIntervalSince1970))" : name
        self.name = name
        self.services = services
        folder = "\(ProcessInfo.processInfo.environment["SIGHTLINE_LOCAL_DIR"] ?? "")/log/\(name)"
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        environment = services.environment(named: name).merging(pace.settings) { $1 }
        try services.sql("DROP DATABASE IF EXISTS \(name) WITH (FORCE)", database: "postgres")
        try services.sql("CREATE DATABASE \(name)", database: "postgres")
        try Self.prepare(environment, partitions: partitions, by: build)
        fleet = Fleet(environment: environment, folder: folder, build: build)
        for kind in WorkerKind.allCases { for _ in 0..<workers { try fleet.start(kind) } }
        load = try Load(
            drivers: drivers, seed: seed, lingerMilliseconds: pace.lingerMilliseconds, environment: environment,
            folder: folder)
        lag = LagMonitor(fleet: fleet, partitions: partitions, recordsPerSecond: Double(drivers))
        guard try lag.waitUntilCaughtUp(seconds: 60) != nil else {
            throw ChaosError("The workers do not take up their work: \(lag.summary())")
        }
        self.riders =
            riders
            ? try Riders(environment: environment, name: name, services: services, folder: folder, fleet: fleet) : nil
    }

    /// Makes topics and tables that are missing, as before the first start and before an upgrade.
    static func prepare(_ environment: [String: String], partitions: Int, by build: Build) throws {
        try ChaosPrograms.sightline(
            ["topics", "create", "--partitions", String(partitions)], environment, programs: build.programs)
        try ChaosPrograms.sightline(["migrate"], environment, programs: build.programs)
    }

    func saboteur(seed: UInt64) -> FaultInjector {
        FaultInjector(
            fleet: fleet, riders: riders, services: services, lag: lag, database: name, environment: environment,
            partitions: partitions,
            folder: folder, seed: seed)
    }

    /// Ends the load, audits the run, and puts everything away.
    ///
    /// `mixedBuilds`: an older build wrote a part of what is audited.
    func finish(mixedBuilds: Bool = false) throws -> RunAudit {
        try load.finish(tending: fleet)
        let report = "\(folder)/audit.json"
        let text = try ChaosPrograms.sightline(
            ["audit", "--wait", "90", "--json", report], environment, codes: [0, 1])
        let received = try riders?.finish(fleet)
        fleet.endAll()
        services.heal()
        try services.sql("DROP DATABASE IF EXISTS \(name) WITH (FORCE)", database: "postgres")
        try deleteTopics()
        var audit = try RunAudit(reportPath: report, text: text, mixedBuilds: mixedBuilds)
        if let received { try audit.addReceived(reportPath: received.path, text: received.text) }
        return audit
    }

    /// The stack's own broker ends with the suite; any other is left as it was.
    private func deleteTopics() throws {
        guard services.usesOtherCluster else { return }
        let configuration = KafkaConfiguration(
            bootstrapServers: environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "", clientID: "chaos")
        let admin = try KafkaAdmin(configuration) { _ in }
        _ = try admin.delete(PipelineTopic.allCases.map { "\(name).\($0.rawValue)" })
    }
}
