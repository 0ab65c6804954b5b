import ArgumentParser
import Logging
import Observability
import ServiceLifecycle
import Settings
import Streaming
import Telemetry

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
    package func run(_ options: WorkerOptions, assemble: (Parts) throws -> StreamWorker) async throws {
        let settings = try readSettings()
        if options.checkConfig {
            for line in settings.effective { print(line) }
            return
        }
        let build = BuildInfo(name: program.rawValue)
        let registry = ObservabilityBootstrap.start(
            build: build, level: settings.log.level, format: LogFormat(settings.log.format))
        let logger = Logger(label: program.rawValue)
        logger.notice(
            "The worker starts.",
            metadata: .of([.version: "\(build.version)", .allocator: "\(MemoryAllocator.name)"]))
        for line in settings.effective { logger.info("A setting is in force.", metadata: .of([.setting: "\(line)"])) }
        ForcedExit.onSecondSignal(after: settings.worker.shutdownTimeout)
        do {
            let worker = try assemble(Parts(settings: settings, logger: logger))
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

    private func serve(
        _ worker: StreamWorker, _ settings: Settings, _ build: BuildInfo, _ registry: MetricsRegistry, _ logger: Logger
    ) async throws {
        let status = worker.status
        status.onFailure { ForcedExit.end(after: ForcedExit.failureDeadline, code: $0.exitCode) }
        let stuckAfter = settings.worker.stuckAfter
        let endpoint = HealthEndpoint(
            configuration: .init(host: settings.endpoint.host, port: settings.endpoint.port), build: build,
            registry: registry, logger: logger
        ) { HealthReport(status.snapshot, stuckAfter: stuckAfter) }
        // Services stop in reverse order: the endpoint answers until the worker has left its group.
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: endpoint),
                .init(service: worker, successTerminationBehavior: .gracefullyShutdownGroup),
            ],
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
        case is HealthEndpointError: return ExitStatus.configuration
        default: return ExitStatus.failure
        }
    }
}
