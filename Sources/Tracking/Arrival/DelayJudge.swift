/// Early, on time or delayed: thresholds with hysteresis, so that the flag does not flap.
package enum DelayJudge {
    /// When a flag is raised and lowered.
    package struct Settings: Sendable, Equatable {
        /// Later than this many seconds is `DELAYED` (exactly this late is not).
        package var delayedSeconds = 120
        /// Earlier than this many seconds is `EARLY` (exactly this early is not).
        package var earlySeconds = 60
        /// A raised flag falls only this many seconds inside its threshold.
        package var hysteresisSeconds = 30
        /// A flag that was changed is not changed again for so many seconds.
        package var holdSeconds = 60.0

        package init() {}

        /// What is wrong with the settings, one sentence each; empty when they can be used.
        package func problems() -> [String] {
            delayedSeconds >= hysteresisSeconds && earlySeconds >= hysteresisSeconds && hysteresisSeconds >= 0
                && holdSeconds >= 0
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
}
