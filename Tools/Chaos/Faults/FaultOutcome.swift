/// One fault that was brought about, and how the pipeline took it.
struct FaultOutcome: Encodable {
    var kind: String
    /// What exactly was done.
    var story: String
    /// Whether it could not be brought about here; nothing was measured then.
    var isSkipped = false
    /// From the end of the fault (of a kill: from the kill) until the lag was back, or, with a rider-gateway that was
    /// killed, until its clients received events again; `nil` when that never was.
    var recoverySeconds: Double?
    /// The stage that was the last to recover, and what it lacked; `nil` when none had to.
    var lastHindrance: String?
    /// What should not have been, in words.
    var violations: [String] = []

    /// For the log of the run.
    var text: String {
        if isSkipped { return "\(kind) skipped: \(story)" }
        return "\(story), recovered after \(Text.seconds(recoverySeconds))"
            + (lastHindrance.map { " (last \($0))" } ?? "")
    }
}
