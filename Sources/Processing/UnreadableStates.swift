import Domain

/// Stored states that a restore could not read.
package struct UnreadableStates: Sendable, Equatable {
    /// A state whose version this release does not support.
    package struct VersionMismatch: Sendable, Equatable, CustomStringConvertible {
        /// The state's owner, such as "a driver".
        package var subject: String
        package var problem: StateProblem

        package var description: String {
            switch problem {
            case .newer(let version, let readable):
                """
                The state of \(subject) has version \(version), written by a newer release; this release reads versions \
                up to \(readable). Run that release or a newer one; to return to this one, stop all programs and recreate \
                the topics (sightline topics recreate, see docs/operations.md).
                """
            case .older(let version, let readable):
                """
                The state of \(subject) has version \(version), written before the previous release; this release \
                reads versions from \(readable). Run the releases in between first, each for at least the time that \
                a restart reads back, see docs/operations.md.
                """
            }
        }
    }

    /// The first state of an unsupported version; its partition must not be processed, or the state would be lost.
    package private(set) var versionMismatch: VersionMismatch?
    /// Number of damaged states, which were skipped.
    package private(set) var damaged = 0

    package init() {}

    /// Records an unreadable state of `subject`; `problem` is `nil` for a damaged state.
    package mutating func record(_ subject: String, _ problem: StateProblem?) {
        guard let problem else {
            damaged += 1
            return
        }
        if versionMismatch == nil { versionMismatch = VersionMismatch(subject: subject, problem: problem) }
    }
}
