/// Exit codes besides those of `WorkerError`.
package enum ExitStatus {
    /// Something failed that has no code of its own.
    package static let failure: Int32 = 1
    /// The settings are wrong (`EX_CONFIG` of sysexits).
    package static let configuration: Int32 = 78
}
