import CFatalSignal
import CoreMetrics
import Logging

/// Connection of swift-log and swift-metrics to this module's backends, once per process.
package enum ObservabilityBootstrap {
    /// Sends all logs to standard error and all metrics to the returned registry.
    ///
    /// Must be called once, before any log or metric; a second call stops the process.
    package static func start(build: BuildInfo, level: Logger.Level, format: LogFormat) -> MetricsRegistry {
        startLogging(level: level, format: format)
        logFatalSignals(as: build.name, format: format)
        let registry = MetricsRegistry(build: build)
        MetricsSystem.bootstrap(registry)
        return registry
    }

    /// Sends all logs to standard error; for programs without metrics.
    package static func startLogging(level: Logger.Level, format: LogFormat) {
        // Resolved once, so that all lines have the same format.
        let resolved = format.resolved
        LoggingSystem.bootstrap { label in LineLogHandler(label: label, level: level, format: resolved) }
    }

    /// Logs a line when a fatal signal, such as SIGSEGV, ends the process; only the first call has an effect.
    package static func logFatalSignals(as program: String, format: LogFormat) {
        sl_log_fatal_signals(program, format.resolved == .json ? 1 : 0)
    }
}
