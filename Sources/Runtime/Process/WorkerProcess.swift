import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle

/// The life of a worker's process: settings, logs, endpoint, the worker itself, and the way out.
///
/// Every worker's executable is: parse the options, assemble the worker, run it here.
package struct WorkerProcess {
    /// What a worker is assembled from.
    package struct Parts {
        package let settings: Settings
        package let logger: Logger
    }

    private let program: Program

    package init(_ program: Program) { self.program = program }

    /// Runs the worker until it is told to stop.
    /// - Throws: `ExitCode`, after one clear line on standard error.
    package func run(_ options: WorkerOptions, assemble: (Parts) async throws -> some WorkerService) async throws {
        let settings = try readSettings()
        if options.checkConfig {
            for line in settings.effective { print(line) }
            return try await check(settings, assemble)
        }
        let build = BuildInfo(name: program.rawValue)
        let registry = ObservabilityBootstrap.start(
            build: build, level: settings.log.level, format: LogFormat(settings.log.format))
        let logger = Logger(label: program.rawValue)
        logger.notice(
            "The worker starts.",
            metadata: .of([.version: "\(build.version)", .allocator: "\(MemoryAllocator.name)"]))
        let effective = settings.effective.map(\.description).joined(separator: ", ")
        logger.info("These settings are in force.", metadata: .of([.settings: "\(effective)"]))
        ShutdownWatchdog.onSecondSignal(after: settings.worker.shutdownTimeout)
        do {
            let worker = try await assemble(Parts(settings: settings, logger: logger))
            try await serve(worker, settings, build, registry, logger)
        } catch {
            throw ExitCode(report(error, logger))
        }
        logger.notice("The worker has stopped.")
    }

    private func readSettings() throws -> Settings {
        do {
            return try Settings(for: program)
        } catch {
            StandardError.write("\(program.rawValue): \(error)\n")
            throw ExitCode(ExitStatus.configuration)
        }
    }

    /// Has those check the settings that use them: the client library, and what the worker is assembled from.
    private func check(_ settings: Settings, _ assemble: (Parts) async throws -> some WorkerService) async throws {
        do {
            _ = try await assemble(
                Parts(settings: settings, logger: Logger(label: "") { _ in SwiftLogNoOpLogHandler() }))
            try settings.kafkaConfiguration.check()
        } catch {
            fflush(nil)
            StandardError.write("\(program.rawValue): \(error)\n")
            throw ExitCode(ExitStatus.configuration)
        }
    }

    private func serve(
        _ worker: some WorkerService, _ settings: Settings, _ build: BuildInfo, _ registry: MetricsRegistry,
        _ logger: Logger
    ) async throws {
        let status = worker.status
        status.onFailure { ShutdownWatchdog.end(after: ShutdownWatchdog.failureDeadline, code: $0.exitCode) }
        let stuckAfter = settings.worker.stuckAfter
        // Each service waits for a signal of its own.
        let later = worker.services.map { (signal: ReadinessGate(), service: $0) }
        let endpoint = HealthEndpoint(
            configuration: .init(host: settings.endpoint.host, port: settings.endpoint.port), build: build,
            registry: registry, logger: logger, onListening: { _ in for one in later { one.signal.give() } }
        ) { HealthReport(status.snapshot, stuckAfter: stuckAfter) }
        // Services stop in reverse order: the endpoint answers until the worker has left its group.
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: endpoint)]
                + later.map { signal, service in
                    .init(
                        service: DependentService(after: signal, service),
                        successTerminationBehavior: .gracefullyShutdownGroup)
                },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = settings.worker.shutdownTimeout
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Says what ended the worker, and by which exit code others can tell.
    private func report(_ error: any Error, _ logger: Logger) -> Int32 {
        // A worker's own errors are logged where they happen, before anything that may take long.
        if !(error is WorkerError) {
            logger.critical("The worker cannot go on.", metadata: .of([.error: "\(error)"]))
        }
        switch error {
        case let error as WorkerError: return error.exitCode
        case is ListenError: return ExitStatus.configuration
        default: return ExitStatus.failure
        }
    }
}
