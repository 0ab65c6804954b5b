/// Exit codes besides those of `WorkerError`.
package enum ExitStatus {
    /// Failure without a specific code.
    package static let failure: Int32 = 1
    /// Invalid settings (`EX_CONFIG` of sysexits).
    package static let configuration: Int32 = 78
}
