import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import Runtime

/// Health endpoints on free ports.
enum EndpointFixture {
    /// Runs the endpoint that `make` returns, and calls `body` with its port.
    ///
    /// `make` receives the value for ``HealthEndpoint/onListening``.
    static func run(
        _ make: (@escaping @Sendable (Int) -> Void) -> HealthEndpoint,
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let (ports, portContinuation) = AsyncStream.makeStream(of: Int.self)
        let endpoint = make { portContinuation.yield($0) }
        let services = ServiceGroup(
            configuration: .init(services: [.init(service: endpoint)], logger: Logger(label: "test")))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            let result: Result<Void, any Error>
            do { result = .success(try await body(port)) } catch { result = .failure(error) }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
            try result.get()
        }
    }

    /// Creates the endpoint of a worker that is alive and ready.
    static func endpoint(
        _ configuration: HealthEndpoint.Configuration, _ onListening: @escaping @Sendable (Int) -> Void
    ) -> HealthEndpoint {
        let build = BuildInfo(name: "test-worker", version: "9.9.9")
        return HealthEndpoint(
            configuration: configuration, build: build, registry: MetricsRegistry(build: build),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onListening: onListening
        ) { HealthReport(isReady: true) }
    }
}
