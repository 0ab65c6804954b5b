import CFatalSignal

/// The log line of a process that a fatal signal ends, such as SIGSEGV in a library.
package enum FatalSignals {
    /// Writes the line before the signal takes its course.
    ///
    /// Only the first call has an effect.
    ///
    /// - Parameters:
    ///   - program: the name of the logger.
    ///   - format: how the line looks.
    package static func log(as program: String, format: LogFormat) {
        sl_log_fatal_signals(program, format.resolved == .json ? 1 : 0)
    }
}
