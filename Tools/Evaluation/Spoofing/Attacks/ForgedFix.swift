import Domain
import Support

/// A fix that was made up, and when it reaches the pipeline.
struct ForgedFix: Sendable {
    var fix: Fix
    var receivedAt: Timestamp
}
