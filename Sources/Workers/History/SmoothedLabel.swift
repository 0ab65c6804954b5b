import Model
import Support

/// What the row of a smoothed fix tells beside its estimate.
package struct SmoothedLabel {
    package var event: EventID
    package var receivedAt: Timestamp
    package var fixedAt: Timestamp
    /// Whether the fix has a row in `location_history`; otherwise it is smoothed for its neighbours alone.
    package var isKept = true
}
