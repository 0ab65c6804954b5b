import Foundation
import KafkaMock
import Redis
import TestSupport
import Testing

@Suite("Permissions of the audit", .blocking, .serialized, .timeLimit(.minutes(10)))
struct AuditRightsTests {
    /// Topics that an audit without stores reads.
    private static let topics = [
        "driver.locations.raw", "driver.locations", "driver.locations.dead-letter", "driver.warnings", "driver.tracks",
        "trips", "trip.etas", "rider.updates",
    ]

    private static func cluster() throws -> MockCluster {
        let cluster = try MockCluster()
        for topic in topics { cluster.createTopic(topic, partitions: 1) }
        return cluster
    }

    /// Runs an audit without stores and returns its exit code and output.
    private func audit(_ cluster: MockCluster) async throws -> (code: Int32, output: String) {
        let program = try Program(
            "sightline", ["audit", "--no-redis", "--no-history", "--wait", "0"],
            environment: ["KAFKA_BOOTSTRAP_SERVERS": cluster.bootstrapServers])
        defer { program.discard() }
        let code = try await program.wait()
        return (code, program.output)
    }

    @Test("an audit without stores needs neither road.speeds nor trips.dead-letter")
    func requiredTopics() async throws {
        let (code, output) = try await audit(try Self.cluster())
        #expect(code == 0, "\(output)")
    }

    @Test("a missing permission for a group is an error with group and permission, not a timeout")
    func missingGroupPermission() async throws {
        // The audit looks up the coordinators of both groups, in any order.
        for (request, group) in [
            (MockCluster.Request.findCoordinator, /sightline-reader|sightline\.location/),
            (.offsetFetch, /sightline\.location/),
        ] {
            let cluster = try Self.cluster()
            cluster.deny(request, with: .groupDenied)
            let (code, output) = try await audit(cluster)
            #expect(code == 2)
            let groupStart = try #require(output.firstRange(of: "Describe on group "), "\(output)").upperBound
            #expect(output[groupStart...].prefixMatch(of: group) != nil, "\(output)")
            #expect(!output.localizedCaseInsensitiveContains("timed out"), "\(output)")
        }
    }

    @Test("a missing Describe permission is an error with topic and permission")
    func missingDescribePermission() async throws {
        let cluster = try Self.cluster()
        cluster.denyDescribe(topic: "driver.warnings")
        let (code, output) = try await audit(cluster)
        #expect(code == 2)
        #expect(output.contains("Describe on topic driver.warnings"), "\(output)")
    }

    @Test("a missing Read permission is an error with a topic and the permission, not a timeout")
    func missingReadPermission() async throws {
        let cluster = try Self.cluster()
        try cluster.fill(Self.topics, partitions: 1)
        cluster.deny(.fetch, with: .topicDenied)
        let (code, output) = try await audit(cluster)
        #expect(code == 2)
        #expect(output.contains("Read on topic "), "\(output)")
        #expect(!output.localizedCaseInsensitiveContains("timed out"), "\(output)")
    }

    @Test(
        "the Redis user of deploy/redis/audit.acl and the role sightline_reader suffice for a complete audit",
        .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"))
    func restrictedUsers() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        try await stack.startAll()
        try await stack.sightline("simulate", "--drivers", "20", "--seconds", "6", "--seed", "5")
        let user = "\(stack.name)-audit"
        let redis = try stack.connectToRedis()
        try ExampleACL(file: "audit.acl", user: "audit")
            .create(user, prefix: "\(stack.name):", password: "hunter2", redis)
        defer { _ = try? redis.call("ACL", "DELUSER", user) }
        let login = "\(stack.name)_audit"
        try await stack.sql("CREATE ROLE \(login) \(TestServices.login) IN ROLE sightline_reader")
        let environment = stack.environment.merging([
            "REDIS_URL": try Self.address(stack.environment["REDIS_URL"], user: user, password: "hunter2"),
            "POSTGRES_URL": try Self.address(stack.environment["POSTGRES_URL"], user: login),
        ]) { $1 }
        let program = try Program("sightline", ["audit", "--wait", "60"], environment: environment, logs: stack.logs)
        defer { program.end() }
        let code = try await program.wait()
        #expect(code == 0, "\(program.output)")
        #expect(program.output.contains("No differences."))
        try await stack.sql("DROP OWNED BY \(login)")
        try await stack.sql("DROP ROLE \(login)")
    }

    private static func address(_ url: String?, user: String, password: String? = nil) throws -> String {
        var parts = try #require(url.flatMap { URLComponents(string: $0) })
        parts.user = user
        parts.password = password
        return try #require(parts.string)
    }
}
