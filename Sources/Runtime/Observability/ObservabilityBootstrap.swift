import CoreMetrics
import Logging

/// Connects swift-log and swift-metrics to this module's backends, once per process.
package enum ObservabilityBootstrap {
    /// Sends all logs to standard error and all metrics to the registry that is returned.
    ///
    /// Called once, before anything logs or counts; a second call stops the process, as the libraries demand.
    ///
    /// - Parameters:
    ///   - build: the program, for `sightline_build_info`.
    ///   - level: the lowest level that is written.
    ///   - format: how lines look.
    /// - Returns: the registry, for the endpoint to render.
    package static func start(build: BuildInfo, level: Logger.Level, format: LogFormat) -> MetricsRegistry {
        startLogging(level: level, format: format)
        FatalSignals.log(as: build.name, format: format)
        let registry = MetricsRegistry(build: build)
        MetricsSystem.bootstrap(registry)
        return registry
    }

    /// Sends all logs to standard error; for programs without metrics.
    package static func startLogging(level: Logger.Level, format: LogFormat) {
        // Decided once: the first line and the last look alike even if the terminal is redirected later.
        let resolved = format.resolved
        LoggingSystem.bootstrap { label in LineLogHandler(label: label, level: level, format: resolved) }
    }
}
