@testable import Evaluation
@testable import Model
@testable import Recordings
@testable import SpoofDetection
@testable import Support

/// What a judge made of one trace.
struct JudgedTrace {
    private(set) var verdicts: [Verdict: Int] = [:]
    private(set) var spoofRejections = 0
    private(set) var highestRisk = 0.0
    private(set) var flaggedFixes = 0
    private(set) var warnings: [UInt32: Int] = [:]

    /// Judges `trace` with a fresh state; a fix was received when the device took it.
    init(_ trace: RecordedTrace, judge: SpoofDetector, tracks: inout TrackMemory) {
        var state = DriverState()
        var streamTime = Timestamp(milliseconds: .min)
        for fix in trace.fixes {
            let receivedAt = fix.deviceAt ?? streamTime
            streamTime = max(streamTime, receivedAt)
            let judgement = judge.judge(
                fix, receivedAt: receivedAt, streamTime: streamTime, state: &state, tracks: &tracks)
            verdicts[judgement.verdict, default: 0] += 1
            highestRisk = max(highestRisk, judgement.risk)
            if judgement.isFlagged { flaggedFixes += 1 }
            if judgement.verdict == .rejected, !judgement.reasons.isDisjoint(with: FixOutcome.accusing) {
                spoofRejections += 1
            }
            for warning in judgement.warnings { warnings[warning.reason.rawValue, default: 0] += 1 }
        }
    }

    /// Settings for recordings, whose rates are their own.
    static var unlimited: TrackingSettings {
        var settings = TrackingSettings()
        settings.rate.isLimited = false
        return settings
    }
}
