import CFatalSignal

/// Logs a line when a fatal signal, such as SIGSEGV, ends the process.
package enum FatalSignals {
    /// Installs the signal handlers; only the first call has an effect.
    ///
    /// `program`: the logger's name.
    package static func log(as program: String, format: LogFormat) {
        sl_log_fatal_signals(program, format.resolved == .json ? 1 : 0)
    }
}
