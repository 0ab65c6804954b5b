import Support

/// Classification of a delay as early, on time or delayed, with hysteresis.
package enum DelayClassifier {
    package struct Settings: Sendable, Equatable {
        /// Delay, in seconds, above which the flag is `DELAYED` (exclusive).
        package var delayedSeconds = 120
        /// Earliness, in seconds, above which the flag is `EARLY` (exclusive).
        package var earlySeconds = 60
        /// Seconds below its threshold at which a flag is cleared.
        package var hysteresisSeconds = 30
        /// Seconds for which a changed flag stays; meanwhile the published arrival is moved to agree with the flag.
        package var holdSeconds = 60.0
        /// Maximum seconds by which an arrival is moved; if that is not enough, the flag changes.
        package var holdShiftSeconds = 180.0

        package init() {}

        package func problems() -> [String] {
            settingProblems(
                of: self, .atLeast(0, \.hysteresisSeconds), .atLeast(0, \.holdSeconds, \.holdShiftSeconds),
                .atLeast(hysteresisSeconds, \.delayedSeconds, \.earlySeconds))
        }
    }

    /// Returns the flag for a delay of `seconds` (negative if early) after the flag `before`.
    package static func classify(_ seconds: Int, after before: TripEta.Delay, settings: Settings) -> TripEta.Delay {
        if seconds > settings.delayedSeconds { return .delayed }
        if seconds < -settings.earlySeconds { return .early }
        switch before {
        case .delayed: return seconds > settings.delayedSeconds - settings.hysteresisSeconds ? .delayed : .onTime
        case .early: return seconds < settings.hysteresisSeconds - settings.earlySeconds ? .early : .onTime
        case .unknown, .onTime: return .onTime
        }
    }

    /// Returns whether `flag` allows a delay of `seconds`.
    package static func agrees(_ flag: TripEta.Delay, with seconds: Int, settings: Settings) -> Bool {
        bounds(of: flag, settings).map { $0.contains(seconds) } ?? false
    }

    /// Returns the delays that `flag` allows: all positive delays for `delayed`, all negative delays for `early`.
    private static func bounds(of flag: TripEta.Delay, _ settings: Settings) -> ClosedRange<Int>? {
        switch flag {
        case .delayed: 1...Int.max
        case .onTime: -settings.earlySeconds...settings.delayedSeconds
        case .early: Int.min...(-1)
        case .unknown: nil
        }
    }

    /// Returns the arrival nearest to `arrival` that `flag` allows.
    /// - Returns: `nil` if it is more than ``Settings/holdShiftSeconds`` from `arrival`, or `flag` is unknown.
    package static func nearest(
        to arrival: Timestamp, matching flag: TripEta.Delay, since reference: Timestamp, settings: Settings
    ) -> Timestamp? {
        guard let bounds = bounds(of: flag, settings) else { return nil }
        let seconds = seconds(of: arrival, since: reference)
        if bounds.contains(seconds) { return arrival }
        let bound = seconds < bounds.lowerBound ? bounds.lowerBound : bounds.upperBound
        let moved = reference.advanced(bySeconds: Double(bound))
        return abs(moved.seconds(since: arrival)) <= settings.holdShiftSeconds ? moved : nil
    }

    /// Returns the delay of an arrival, rounded to seconds (halves away from zero).
    package static func seconds(of arrival: Timestamp, since reference: Timestamp) -> Int {
        Int(arrival.seconds(since: reference).rounded())
    }
}
