/// The outcome of ``SpoofingEvaluation``.
package struct SpoofingReport: EvaluationReport {
    package struct Honest: Encodable, Sendable {
        package var name: String
        package var traces: Int
        package var fixes: Int
        package var hours: Double
        /// Rejected for an accusing reason or as `CLOCK_SKEW`.
        package var rejectedFixes: Int
        package var rejectedShare: Double
        /// Those of them that were rejected as `CLOCK_SKEW`.
        package var clockSkewFixes: Int
        package var drivers: Int
        /// Drivers who lost over 0.1 % of their fixes.
        package var losingDrivers: Int
        /// Those who lost the largest shares, 20 at most.
        package var losses: [Loss]
        package var rejections: [String: Int]
        package var warnings: [String: Int]
        package var suspectTraces: Int
        package var flaggedTraces: Int
        package var suspectOnsets: Int
        package var flaggedOnsets: Int
        package var suspectsPerThousandHours: Double
        package var flagsPerThousandHours: Double
        package var highestRisk: Double
        /// Without fixes that a simulated receiver put hundreds of metres wrong.
        package var rejectedGoodFixes: Int
        package var withinMinuteOfGap: Alarms
        package var withinMinuteOfTunnelOrColdStart: Alarms
        /// The first occasions on which a driver was blamed.
        package var blames: [Blame]
        package var baselineShare: Double
        package var baselineTraces: Int
    }

    /// What an honest driver lost.
    package struct Loss: Encodable, Sendable {
        package var origin: String
        package var driver: String
        package var fixes: Int
        package var rejectedFixes: Int
        package var clockSkewFixes: Int
        package var rejectedShare: Double
    }

    /// Fixes rejected, and occasions on which a driver became suspect or was flagged.
    package struct Alarms: Encodable, Sendable {
        package var rejections: Int
        package var suspects: Int
        package var flags: Int
    }

    /// An occasion on which an honest driver became a suspect or was flagged.
    package struct Blame: Encodable, Sendable {
        package var origin: String
        package var trace: String
        package var atMs: Int64
        package var isFlag: Bool
        package var risk: Double
        package var reasons: [String]
        package var secondsAfterTunnelOrColdStart: Double?
    }

    package struct RecordedAttacks: Encodable, Sendable {
        package var name: String
        package var attacks: Int
        package var detected: Int
        package var flagged: Int
        package var forgedFixes: Int
        package var rejectedForgedFixes: Int
        package var rejectedOrMarkedForgedFixes: Int
        package var honestFixes: Int
        package var rejectedHonestFixes: Int
        package var medianDelayFixes: Int?
        package var baselineDetected: Int
    }

    package struct Kind: Encodable, Sendable {
        package var kind: String
        package var attacks: Int
        package var target: Double?
        package var detectionRate: Double
        /// Without detections by the return to the truth.
        package var detectionRateDuring: Double
        package var suspectRate: Double
        package var flaggedRate: Double
        package var medianDelayFixes: Int?
        package var p90DelayFixes: Int?
        /// To the first fix at which the driver is a suspect, or detected.
        package var medianSuspectDelayFixes: Int?
        package var baselineRate: Double
        /// Share of the attacks in which each code was seen.
        package var signals: [String: Double]
        package var detectionRateByOrigin: [String: Double]
        package var windows: FieldFigures
        /// The share detected when only this signal adds to the risk and only its own rejections count.
        package var detectionRateBySignalAlone: [String: Double]
        package var missed: [Miss]
    }

    /// An attack that was missed, so that it can be looked at.
    package struct Miss: Encodable, Sendable {
        package var origin: String
        package var trace: String
        package var beganMs: Int64
        package var forgedFixes: Int
        package var highestRisk: Double
        package var reasons: [String]
    }

    /// The same by the fields that the hosts send; `nil` where there are no windows.
    package struct FieldFigures: Encodable, Sendable {
        package var all: WindowFigures?
        package var withSpeedAndHeading: WindowFigures?
        package var withoutEither: WindowFigures?
    }

    /// How well the highest risk of 10 s tells windows of attacks, from 20 s after their onset, from those of the same
    /// hosts at the same time without an attack.
    package struct WindowFigures: Encodable, Sendable {
        package var windows: Int
        package var honestWindows: Int
        package var area: Double
        package var truePositiveRateAtOneInHundred: Double
        package var baselineTruePositiveRate: Double
        package var baselineFalsePositiveRate: Double
        /// A few hundred points of the curve; of the pooled windows only.
        package var roc: [RocPoint] = []
    }

    /// Attacks on hosts that take a fix every so many seconds.
    package struct Sampling: Encodable, Sendable {
        package var seconds: Double
        package var hosts: Int
        package var kinds: [SampledKind]
    }

    /// Honest tracks that begin to go at a speed of no vehicle, with a fix every so many seconds; what was made of the
    /// first three fixes.
    package struct Race: Encodable, Sendable {
        package var seconds: Double
        package var kilometersPerHour: Double
        package var races: Int
        package var markedRate: Double
        package var rejectedRate: Double
    }

    package struct SampledKind: Encodable, Sendable {
        package var kind: String
        package var attacks: Int
        package var target: Double?
        package var detectionRate: Double
        package var detectionRateDuring: Double
        /// Share in which a track was seen to be a repetition.
        package var replayRate: Double
        package var windows: FieldFigures
    }

    package struct RocPoint: Encodable, Sendable {
        package var falsePositiveRate: Double
        package var truePositiveRate: Double
    }

    package var seed: UInt64
    package var half: String
    package var hosts: [String: Int]
    package var honest: [Honest] = []
    package var honestTotal: Honest?
    package var simulated: Honest?
    /// Empty unless towns were jammed.
    package var jamming: [Jamming] = []
    package var recordedAttacks: [RecordedAttacks] = []
    package var kinds: [Kind] = []
    /// Fixes until detection, over all attacks of the kinds that 99 % are to be found of, taken together.
    package var firstGroupMedianDelayFixes: Int?
    /// All kinds that have a target.
    package var pooled = FieldFigures()
    package var samplings: [Sampling] = []
    package var races: [Race] = []
}
