import Logging
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Processing
@testable import Runtime

@Suite("Health endpoint", .blocking, .timeLimit(.minutes(10)))
struct HealthEndpointTests {
    static let build = BuildInfo(name: "test-worker", version: "9.9.9")

    /// Runs an endpoint on a free port, and calls `body` with the port and the registry.
    private func withEndpoint(
        health: @escaping @Sendable () -> HealthReport,
        _ body: @escaping @Sendable (Int, MetricsRegistry) async throws -> Void
    ) async throws {
        let registry = MetricsRegistry(build: Self.build)
        try await EndpointFixture.run({
            HealthEndpoint(
                configuration: .init(port: 0), build: Self.build, registry: registry,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onListening: $0, health: health)
        }) { try await body($0, registry) }
    }

    @Test("the endpoint of a ready worker answers 200 on all three paths")
    func healthy() async throws {
        try await withEndpoint {
            HealthReport(isReady: true, partitions: [.init(topic: "trips", partition: 3, state: .running)])
        } _: { port, registry in
            registry.makeTimer(label: MetricDefinition.batchDuration.name, dimensions: [("stage", "eta")])
                .recordNanoseconds(2_000_000)
            let alive = try LoopbackHTTP.send(port: port, "/healthz")
            #expect(alive.status == 200)
            #expect(alive.body == "{\"alive\":true,\"program\":\"test-worker\",\"version\":\"9.9.9\"}\n")
            let ready = try LoopbackHTTP.send(port: port, "/readyz")
            #expect(ready.status == 200)
            #expect(ready.headers["content-type"] == "application/json")
            #expect(
                ready.body
                    == "{\"ready\":true,\"partitions\":[{\"topic\":\"trips\",\"partition\":3,\"state\":\"running\"}]}\n"
            )
            let metrics = try LoopbackHTTP.send(port: port, "/metrics")
            #expect(metrics.status == 200)
            #expect(metrics.headers["content-type"] == PrometheusText.contentType)
            let snapshot = try MetricsSnapshot(parsing: metrics.body)
            #expect(snapshot.histogram("sightline_batch_duration_seconds")?.count == 1)
        }
    }

    @Test("readiness shows unacknowledged outputs and misplaced keys of a partition")
    func details() {
        let report = HealthReport(
            isReady: true,
            partitions: [
                .init(topic: "trips", partition: 3, state: .running),
                .init(topic: "trips", partition: 4, state: .waiting, unacknowledgedSeconds: 7),
                .init(topic: "trips", partition: 5, state: .running, misplacedKeys: 2),
            ])
        #expect(
            report.readinessJSON == #"{"ready":true,"partitions":[{"topic":"trips","partition":3,"state":"running"},"#
                + #"{"topic":"trips","partition":4,"state":"waiting","unacknowledged_seconds":7},"#
                + #"{"topic":"trips","partition":5,"state":"running","misplaced_keys":2}],"#
                + #""advice":"\#(HealthReport.partitionerAdvice)"}"#)
        #expect(HealthReport.partitionerAdvice.contains("partitioner=murmur2_random"))
    }

    @Test("readiness has no advice without misplaced keys")
    func noAdvice() {
        let report = HealthReport(isReady: true, partitions: [.init(topic: "trips", partition: 3, state: .running)])
        #expect(!report.readinessJSON.contains("advice"))
    }

    @Test("a worker that is not ready gives the reason at /readyz, and is alive at /healthz")
    func notReady() async throws {
        try await withEndpoint {
            HealthReport(isReady: false, reason: "Redis at \"cache\" is down.")
        } _: { port, _ in
            let ready = try LoopbackHTTP.send(port: port, "/readyz")
            #expect(ready.status == 503)
            #expect(
                ready.body == "{\"ready\":false,\"reason\":\"Redis at \\\"cache\\\" is down.\",\"partitions\":[]}\n")
            #expect(try LoopbackHTTP.send(port: port, "/healthz").status == 200)
        }
    }

    @Test("a worker whose thread is stuck is not alive")
    func notAlive() async throws {
        try await withEndpoint {
            HealthReport(isAlive: false, isReady: false, reason: "No progress for 60 s.")
        } _: { port, _ in
            let alive = try LoopbackHTTP.send(port: port, "/healthz")
            #expect(alive.status == 503)
            #expect(alive.body.contains("No progress for 60 s."))
        }
    }

    @Test("other paths get 404 and other methods 405")
    func otherRequests() async throws {
        try await withEndpoint {
            HealthReport(isReady: true)
        } _: { port, _ in
            let otherPath = try LoopbackHTTP.send(port: port, "/")
            #expect(otherPath.status == 404)
            let posted = try LoopbackHTTP.send(port: port, "/metrics", method: "POST")
            #expect(posted.status == 405)
        }
    }

    @Test("the endpoint stops while a client keeps its connection open")
    func stopsWithOpenConnection() async throws {
        let connection = Mutex<LoopbackHTTP.Connection?>(nil)
        try await withEndpoint {
            HealthReport(isReady: true)
        } _: { port, _ in
            let open = try LoopbackHTTP.Connection(port: port)
            #expect(try open.send("GET", "/healthz").status == 200)
            connection.withLock { $0 = open }
        }
        #expect(connection.withLock { $0 != nil })
    }

    @Test("the error of a port in use contains the address and the setting")
    func portInUse() async throws {
        let report = HealthReport(isReady: true)
        try await withEndpoint {
            report
        } _: { port, registry in
            let second = HealthEndpoint(
                configuration: .init(port: port), build: Self.build, registry: registry,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, health: { report })
            let error = await #expect(throws: ListenError.self) { try await second.run() }
            let description = try #require(error?.description)
            #expect(description.contains("127.0.0.1:\(port)"))
            #expect(description.contains("SIGHTLINE_HTTP_PORT"))
            #expect(description.contains("in use"))
        }
    }
}
