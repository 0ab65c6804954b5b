import Model

/// What one device of a driver has been told of its driver's warnings since it connected.
package struct SentWarningFilter: Sendable {
    private var clock = Watermark()
    /// The warnings that go on, as they were told last.
    private var open: [DriverWarning.Code: LocationWarning.Action] = [:]

    package init() {}

    /// Expects events that begin again, as those of a topic that was created anew; warnings that go on stay known.
    package mutating func restart() { clock = Watermark() }

    /// Notes a warning; warnings come in the order of their partition.
    /// - Returns: whether it is to be told. A repeated record is not, nor is the end of what was never told: that would
    ///   say that something was noticed which the device must not know.
    package mutating func isNews(_ warning: DriverWarning) -> Bool {
        guard clock.advance(to: warning.event) else { return false }
        if warning.action == .resolved { return open.removeValue(forKey: warning.code) != nil }
        return open.updateValue(warning.action, forKey: warning.code) != warning.action
    }
}
