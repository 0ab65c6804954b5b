import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle

/// Process of a worker or gateway: settings, logs, endpoint, worker, and exit code.
package struct WorkerProcess {
    package struct Parts {
        package let settings: Settings
        package let logger: Logger

        package init(settings: Settings, logger: Logger) {
            self.settings = settings
            self.logger = logger
        }
    }

    private let program: Program

    package init(_ program: Program) { self.program = program }

    /// Runs the worker until it is stopped.
    /// - Throws: `ExitCode`, after a line on standard error.
    package func run(_ options: WorkerOptions, assemble: (Parts) async throws -> some WorkerService) async throws {
        let settings: Settings
        do { settings = try Settings(for: program) } catch { throw invalid(error) }
        if options.checkConfig {
            for line in settings.effective { print(line) }
            return try await check(settings, assemble)
        }
        let build = BuildInfo(name: program.rawValue)
        let registry = ObservabilityBootstrap.start(
            build: build, level: settings.log.level, format: settings.log.format)
        let logger = Logger(label: program.rawValue)
        logger.notice(
            "Worker starting.", metadata: .of([.version: "\(build.version)", .allocator: "\(MemoryAllocator.name)"]))
        let effective = settings.effective.map(\.description).joined(separator: ", ")
        logger.info("Effective settings.", metadata: .of([.settings: "\(effective)"]))
        ShutdownWatchdog.onSecondSignal(after: settings.worker.shutdownTimeout)
        do {
            let worker = try await assemble(Parts(settings: settings, logger: logger))
            try await serve(worker, settings, build, registry, logger)
        } catch {
            throw ExitCode(report(error, logger))
        }
        logger.notice("Worker stopped.")
    }

    /// Validates the settings further by assembling the worker and passing the properties to librdkafka.
    private func check(_ settings: Settings, _ assemble: (Parts) async throws -> some WorkerService) async throws {
        do {
            _ = try await assemble(
                Parts(settings: settings, logger: Logger(label: "") { _ in SwiftLogNoOpLogHandler() }))
            try settings.kafkaConfiguration.check()
        } catch {
            throw invalid(error)
        }
    }

    /// Writes the error about invalid settings; returns the exit code.
    private func invalid(_ error: any Error) -> ExitCode {
        fflush(nil)
        StandardError.write("\(program.rawValue): \(error)\n")
        return ExitCode(ExitStatus.configuration)
    }

    private func serve(
        _ worker: some WorkerService, _ settings: Settings, _ build: BuildInfo, _ registry: MetricsRegistry,
        _ logger: Logger
    ) async throws {
        let status = worker.status
        status.onFailure { ShutdownWatchdog.end(after: ShutdownWatchdog.failureDeadline, code: $0.exitCode) }
        let stuckAfter = settings.worker.stuckAfter
        let dependents = worker.services.map { (gate: ReadinessGate(), service: $0) }
        let endpoint = HealthEndpoint(
            configuration: .init(host: settings.endpoint.host, port: settings.endpoint.port), build: build,
            registry: registry, logger: logger, onListening: { _ in for (gate, _) in dependents { gate.open() } }
        ) { HealthReport(status.snapshot, stuckAfter: stuckAfter) }
        // Services stop in reverse order: the endpoint answers until the worker has left its group.
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: endpoint)]
                + dependents.map { gate, service in
                    .init(
                        service: DependentService(after: gate, service),
                        successTerminationBehavior: .gracefullyShutdownGroup)
                },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = settings.worker.shutdownTimeout
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Logs an error and returns its exit code.
    private func report(_ error: any Error, _ logger: Logger) -> Int32 {
        // A WorkerError was logged where it happened.
        if !(error is WorkerError) {
            logger.critical("Worker failed.", metadata: .of([.error: "\(error)"]))
        }
        switch error {
        case let error as WorkerError: return error.exitCode
        case is ListenError: return ExitStatus.configuration
        default: return ExitStatus.failure
        }
    }
}

/// Options of all workers; everything else comes from the environment.
package struct WorkerOptions: ParsableArguments {
    @Flag(help: "Validate settings, print them with secrets masked, and exit.")
    package var checkConfig = false

    package init() {}
}

extension AsyncParsableCommand {
    /// Runs the command as the process's main program.
    ///
    /// Top-level code calls this function, because `main()` there is the synchronous function of that name.
    package static func runAsMain() async { await main() }
}

/// Exit codes besides those of `WorkerError`.
package enum ExitStatus {
    /// Failure without a specific code.
    package static let failure: Int32 = 1
    /// Invalid settings (`EX_CONFIG` of sysexits).
    package static let configuration: Int32 = 78
}
