/// Exit codes besides those of `WorkerError`.
package enum ExitStatus {
    /// Something failed that has no code of its own.
    package static let failure: Int32 = 1
    /// Something was lost or doubled, as a report says.
    package static let finding: Int32 = 1
    /// The settings are wrong (`EX_CONFIG` of sysexits).
    package static let configuration: Int32 = 78
    /// A service that is needed is away (`EX_UNAVAILABLE`).
    package static let unavailable: Int32 = 69
}
