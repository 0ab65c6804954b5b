/// All thresholds of spoof detection and smoothing.
package struct TrackingSettings: Sendable, Equatable {
    package var order = Order()
    package var clock = Clock()
    package var rate = Rate()
    package var quality = Quality()
    package var jumps = Jumps()
    package var signals = Signals()
    package var rules = SpoofRules()
    package var replay = Replay()
    package var risk = Risk()
    package var disturbance = Disturbance()
    package var smoothing = SmoothingSettings()
    /// Silence in stream time after which a driver's state, except flags and held evidence, is discarded, in seconds.
    package var memorySeconds = 300.0

    package init() {}

    package struct Order: Sendable, Equatable {
        /// Sequence number below which a fix with a newer device time is from a restarted app and not a repetition.
        package var restartSequenceBelow: Int64 = 10
        /// Maximum step of a sequence counter of 7 to 32 bits when it wraps around.
        package var maximumWrapGap: Int64 = 32
        /// Consecutive ascending numbers below the last number, with newer device times, that start a new numbering.
        package var fixesBeforeNewNumbering = 3
        /// Maximum number of lost fixes; a larger gap in the sequence is a new numbering.
        package var maximumCountedGap: Int64 = 10_000
        /// Log-likelihood ratio of a sequence number used before with other content.
        package var replayWeight = 1.5
    }

    /// Device clock against the receipt time.
    package struct Clock: Sendable, Equatable {
        /// Maximum lead of a device time over the receipt, with or without the driver's offset removed, in seconds.
        package var maximumAheadSeconds = 60.0
        /// Maximum lag of a device time behind the receipt, in seconds; cached fixes may be older.
        package var maximumBehindSeconds = 86_400.0
        /// Window for the smallest receipt minus device time, in seconds; a wrong timestamp affects two windows.
        package var offsetWindowSeconds = 120.0
        /// Minimum fixes of a window, which lasts longer if there are fewer.
        package var offsetWindowFixes = 5
        /// Consecutive fixes that contradict the current offset and agree on a new offset before that is adopted.
        package var fixesBeforeNewClock = 3
        /// Maximum difference in receipt minus device time between the ``fixesBeforeNewClock``, in seconds.
        package var newClockToleranceSeconds = 2.0
        /// Minimum duration of the ``fixesBeforeNewClock``, in seconds; uploads of old fixes are faster.
        package var newClockSpanSeconds = 2.0
        /// Maximum lag of a first fix to count as a clock offset, in seconds; a fix with a larger lag may be old.
        package var maximumFirstLagSeconds = 10.0
    }

    package struct Rate: Sendable, Equatable {
        package var isLimited = true
        /// Maximum evaluated fixes per second, with or without a trip; further fixes are throttled.
        package var onTripPerSecond = 1.0
        /// Maximum accepted fixes per second without a trip id; others, up to ``onTripPerSecond``, are marked
        /// throttled.
        package var offTripPerSecond = 1.0 / 30
        /// Burst size, in fixes.
        package var burst = 5.0
    }

    /// Use of reported accuracies.
    package struct Quality: Sendable, Equatable {
        /// Accuracy radius above which fixes are rejected, in metres.
        package var maximumAccuracyMeters = 100.0
        /// Accuracy radius above which reachable positions are exempt from kinematic signals, in metres.
        package var coarseAccuracyMeters = 50.0
        /// Accuracy radius that is assumed if a device reports none, in metres.
        package var unknownAccuracyMeters = 15.0
    }

    package struct Jumps: Sendable, Equatable {
        /// Maximum vehicle speed, in m/s: 200 km/h.
        package var maximumSpeedMetersPerSecond = 55.6
        /// Timestamp error of phones, in seconds.
        package var timestampJitterSeconds = 1.0
        /// Multiple of both fixes' accuracies that is added to the reach.
        package var accuracyFactor = 2.0
        /// Gap, in seconds, after which fixes up to ``coldStartMeters`` beyond the reach only restart the filter.
        package var graceGapSeconds = 10.0
        /// Number of first fixes, of a session or after a gap of ``graceGapSeconds``, with ``coldStartMeters``.
        package var graceFixes = 5
        /// Additional reach of a receiver that has just started, in metres; cold starts are off by up to 300 m.
        package var coldStartMeters = 300.0

        /// Returns the maximum distance between two fixes with these accuracies, in metres.
        @inline(__always) func reachMeters(in seconds: Double, _ accuracy: Double, _ otherAccuracy: Double) -> Double {
            maximumSpeedMetersPerSecond * (seconds + timestampJitterSeconds) + accuracyFactor
                * (accuracy + otherAccuracy)
        }
    }

    /// Recognition of tracks seen before.
    package struct Replay: Sendable, Equatable {
        /// Chunks stored per partition: 62 minutes at 10,000 updates per second, if one in 40 completes a chunk.
        package var rememberedChunks = 917_504
        /// Minimum age of a chunk to count as driven before, in seconds of stream time.
        package var minimumAgeSeconds = 60.0
        package var minimumChunkFixes = 5
        /// Zero bits at the end of the hash of a coordinate that ends a chunk: one coordinate in 2^bits.
        package var anchorBits = 2
        /// Minimum distance between fixes of a chunk, in metres.
        package var minimumStepMeters = 10.0
        /// Minimum usual difference between two honest vehicles in one street, per axis in metres.
        package var usualDifferenceMeters = 3.5

        static let capacities = 1...1 << 20
    }

    /// Combination of signals.
    package struct Risk: Sendable, Equatable {
        /// Log-odds of forgery for a driver without any signal.
        package var priorLogOdds = -4.0
        /// Half-life of evidence, in seconds.
        package var halfLifeSeconds = 90.0
        /// Maximum weight of a single signal, in log-odds.
        package var maximumSignal = 3.0
        /// Maximum evidence of one window of ``windowSeconds``, apart from jumps and proven forgery, in log-odds.
        ///
        /// With 4.8, the risk stays at 0.69, below ``suspectRisk``, so a second window is required.
        package var maximumWindowEvidence = 4.8
        /// Maximum evidence, in log-odds, so that a driver can be released.
        package var maximumEvidence = 12.0
        /// Maximum evidence of signals with other possible causes, such as poor GNSS conditions, in log-odds.
        ///
        /// Only the larger of ambiguous and other evidence counts, because a street between high buildings causes
        /// jumps, alternating steps and contradictions at the same time. With 3.5 the risk stays at 0.38.
        package var maximumAmbiguousEvidence = 3.5
        /// Evidence kept for ``holdSeconds`` after an unreachable relocation (log-odds): a risk below ``releaseRisk``.
        package var heldEvidence = 3.0
        /// Ambiguous evidence kept for ``holdSeconds`` after a jump that became reachable, in log-odds.
        package var heldAmbiguousEvidence = 2.0
        /// Duration of held evidence after a relocation, and of a flag during silence, in seconds, rounded to minutes.
        package var holdSeconds = 900.0
        /// Maximum decay time in one silence of a flagged driver, in seconds; fixes without signals end a flag.
        package var flaggedSilenceSeconds = 60.0
        package var suspectRisk = 0.7
        /// Minimum risk, over several windows, for a flag.
        package var flagRisk = 0.95
        /// Number of consecutive windows above ``flagRisk`` for a flag.
        package var flagWindows = 3
        /// Length of the windows, in seconds.
        package var windowSeconds = 10.0
        /// Risk below which a flagged driver is released.
        package var releaseRisk = 0.3
        /// Duration of a flag, in seconds, from which manual review is requested.
        package var reviewSeconds = 300.0
        /// Minimum risk for which signals are reported.
        package var explainedRisk = 0.2
        /// Maximum sum of hints, in log-odds: a risk of 0.12.
        ///
        /// Hints only rank drivers without evidence for manual review and trigger no decision. Fitted on the fitting
        /// half of the traces (`docs/accuracy.md`) and attack seeds 31 to 47, for the area under the ROC curve.
        package var maximumHint = 2.0
    }

    package struct Disturbance: Sendable, Equatable {
        /// Minimum number of drivers in an area with anomalies within a window.
        package var drivers = 3
        /// Minimum share of the active drivers in that area.
        package var share = 0.05
        /// Length of the window, in seconds; limited to a quarter of ``TrackingSettings/memorySeconds``.
        package var windowSeconds = 60.0
        /// Radius of a driver's area, in metres.
        package var radiusMeters = 2_000.0
        /// Distance (m) within which drivers are not counted as independent evidence of interference.
        package var samePointMeters = 1.0
        /// Drivers with recent anomalies remembered per partition.
        package var rememberedDrivers = 1_024
    }
}
