import Model
import Support

/// Early, on time or delayed, from the seconds that a message tells: thresholds with hysteresis, so that the flag does
/// not flap.
package enum DelayClassifier {
    /// When a flag is raised and lowered.
    package struct Settings: Sendable, Equatable {
        /// Later than this many seconds is `DELAYED` (exactly this late is not).
        package var delayedSeconds = 120
        /// Earlier than this many seconds is `EARLY` (exactly this early is not).
        package var earlySeconds = 60
        /// A raised flag falls only this many seconds inside its threshold.
        package var hysteresisSeconds = 30
        /// A flag that was changed is not changed again for so many seconds: the arrival told keeps to its side.
        package var holdSeconds = 60.0
        /// But by no more than so many seconds; an arrival that moved further changes the flag.
        package var holdShiftSeconds = 180.0

        package init() {}

        /// What is wrong with the settings, one sentence each; empty when they can be used.
        package func problems() -> [String] {
            delayedSeconds >= hysteresisSeconds && earlySeconds >= hysteresisSeconds && hysteresisSeconds >= 0
                && holdSeconds >= 0 && holdShiftSeconds >= 0
                ? [] : ["The delay thresholds must not be smaller than their hysteresis, which is at least 0 s."]
        }
    }

    /// The flag for `seconds` of lateness (negative when early), given the one before.
    package static func judge(_ seconds: Int, after before: TripEta.Delay, settings: Settings) -> TripEta.Delay {
        if seconds > settings.delayedSeconds { return .delayed }
        if seconds < -settings.earlySeconds { return .early }
        switch before {
        case .delayed: return seconds > settings.delayedSeconds - settings.hysteresisSeconds ? .delayed : .onTime
        case .early: return seconds < settings.hysteresisSeconds - settings.earlySeconds ? .early : .onTime
        case .unknown, .onTime: return .onTime
        }
    }

    /// Whether a message may say `flag` beside `seconds`: beyond a threshold its flag is raised; within both, the stop
    /// is on time, or a flag has not fallen yet that the number does not contradict.
    package static func agrees(_ flag: TripEta.Delay, with seconds: Int, settings: Settings) -> Bool {
        bounds(of: flag, settings).map { $0.contains(seconds) } ?? false
    }

    /// The seconds of lateness that a message may say beside `flag`; `nil` for an unknown one.
    private static func bounds(of flag: TripEta.Delay, _ settings: Settings) -> ClosedRange<Int>? {
        switch flag {
        case .delayed: 1...Int.max
        case .onTime: -settings.earlySeconds...settings.delayedSeconds
        case .early: Int.min...(-1)
        case .unknown: nil
        }
    }

    /// The arrival nearest to `arrival` that a message may tell beside `flag`; `nil` where there is none within
    /// ``Settings/holdShiftSeconds``.
    package static func nearest(
        to arrival: Timestamp, beside flag: TripEta.Delay, since reference: Timestamp, settings: Settings
    ) -> Timestamp? {
        guard let bounds = bounds(of: flag, settings) else { return nil }
        let seconds = seconds(of: arrival, since: reference)
        if bounds.contains(seconds) { return arrival }
        let bound = seconds < bounds.lowerBound ? bounds.lowerBound : bounds.upperBound
        let kept = reference.advanced(bySeconds: Double(bound))
        return abs(kept.seconds(since: arrival)) <= settings.holdShiftSeconds ? kept : nil
    }

    /// Seconds of lateness of an arrival: rounded to the nearest, halves away from zero.
    package static func seconds(of arrival: Timestamp, since reference: Timestamp) -> Int {
        Int(arrival.seconds(since: reference).rounded())
    }
}
