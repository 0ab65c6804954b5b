import Model

/// What a restore has met that the stage cannot read.
package struct UnreadableStates: Sendable, Equatable {
    /// A state of a version that this release does not know.
    package struct Refusal: Sendable, Equatable, CustomStringConvertible {
        /// What the state is of, as in "a driver".
        package var subject: String
        package var problem: StateProblem

        /// One sentence that names the fix.
        package var description: String {
            switch problem {
            case .newer(let version, let readable):
                """
                The state of \(subject) has version \(version), and this release reads none after \(readable): a newer \
                release wrote it. Run that release or a newer one; to go back to this one, have the newer one write \
                states for it first (SIGHTLINE_WRITE_PREVIOUS_STATES=true, see docs/operations.md).
                """
            case .older(let version, let readable):
                """
                The state of \(subject) has version \(version), and this release reads none before \(readable): the release \
                before the last one wrote it. Run the releases in between first, each for at least the time that a \
                restart reads back, see docs/operations.md.
                """
            }
        }
    }

    /// The first state of another version.
    ///
    /// A partition that has one is not carried on: what is remembered of its drivers and trips would be forgotten.
    package private(set) var refusal: Refusal?
    /// States of a known version that are damaged, and were skipped.
    package private(set) var damaged = 0

    package init() {}

    /// Notes a state of `subject` that was not read; `problem` is `nil` for a damaged one.
    package mutating func note(_ subject: String, _ problem: StateProblem?) {
        guard let problem else {
            damaged += 1
            return
        }
        if refusal == nil { refusal = Refusal(subject: subject, problem: problem) }
    }
}
