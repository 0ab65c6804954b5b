import Model
import Smoothing

/// Every threshold of judging and smoothing, by name, with its default and unit.
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
    /// Stream time after which what is known of a driver is forgotten, in seconds, whether or not a restart happened;
    /// but for a flag and what is held, see ``longestMemorySeconds``.
    package var memorySeconds = 300.0

    /// Whether states are written for the release before this one; see ``StateVersions``.
    package var writesPreviousStates = false
    /// For whom states are written.
    package var stateForm: StateForm { writesPreviousStates ? .previous : .current }

    package init() {}

    /// Which fix comes after which.
    package struct Order: Sendable, Equatable {
        /// A sequence below this with a newer device time is a restarted app, not a repetition.
        package var restartSequenceBelow: Int64 = 10
        /// A counter of 7 to 32 bits that returned to its beginning has skipped fewer numbers than this there.
        package var maximumWrapGap: Int64 = 32
        /// Fixes in a row with ascending numbers below the last one and newer device times that are a new numbering.
        package var fixesBeforeNewNumbering = 3
        /// A larger step of the sequence is a new numbering, not that many lost fixes.
        package var maximumCountedGap: Int64 = 10_000
        /// Log-likelihood ratio of a sequence number that was used before, for other content.
        package var replayWeight = 1.5

        package init() {}
    }

    /// The device's clock against the receipt.
    package struct Clock: Sendable, Equatable {
        /// A device time further ahead of the receipt, after removing the driver's offset, is not believed, in seconds.
        package var maximumAheadSeconds = 60.0
        /// A device time further behind is not believed unless the fix was cached, in seconds.
        package var maximumBehindSeconds = 86_400.0
        /// Length of the windows of which the least receipt minus device time is taken, in seconds of receipt: the
        /// offset is right again two of them after a wrong stamp.
        package var offsetWindowSeconds = 120.0
        /// Fixes that a window has at least, however long that takes.
        package var offsetWindowFixes = 5
        /// Fixes in a row that contradict the clock known, but agree with each other, after which theirs is taken on.
        package var fixesBeforeNewClock = 3
        /// How far those may differ in receipt minus device time, in seconds.
        package var newClockToleranceSeconds = 2.0
        /// How long those must go on, in seconds: an upload of old fixes comes faster than that.
        package var newClockSpanSeconds = 2.0
        /// A first fix that is further behind its receipt may have been stored, in seconds: its device dates it until
        /// ``fixesBeforeNewClock`` fixes agree on a slow clock.
        package var maximumFirstLagSeconds = 10.0

        package init() {}
    }

    /// How many fixes of a driver are judged, and how many of those are marked as beyond the rate.
    package struct Rate: Sendable, Equatable {
        /// Whether there is a limit at all.
        package var isLimited = true
        /// On a trip, fixes per second; more are not judged, also of a driver without a trip.
        package var onTripPerSecond = 1.0
        /// From devices that name no trip, fixes per second; more are judged, up to ``onTripPerSecond``, and marked.
        package var offTripPerSecond = 1.0 / 30
        /// Fixes that may come at once.
        package var burst = 5.0

        package init() {}
    }

    /// Which accuracies are used.
    package struct Quality: Sendable, Equatable {
        /// A worse accuracy is kept in history only, in metres.
        package var maximumAccuracyMeters = 100.0
        /// A worse accuracy excuses whatever the positions do within reach, in metres.
        package var coarseAccuracyMeters = 50.0
        /// Assumed where a device states none, in metres.
        package var unknownAccuracyMeters = 15.0

        package init() {}
    }

    /// What is further than any vehicle gets.
    package struct Jumps: Sendable, Equatable {
        /// The fastest vehicle, in m/s: 200 km/h.
        package var maximumSpeedMetersPerSecond = 55.6
        /// How early or late phones stamp their fixes, in seconds.
        package var stampJitterSeconds = 1.0
        /// How many times both accuracies are allowed for.
        package var accuracyFactor = 2.0
        /// After this silence a fix that is further than the reach by no more than ``coldStartMeters`` only starts the
        /// filter over, in seconds.
        package var graceGapSeconds = 10.0
        /// The first fixes of a session, and after such a silence, for which the same holds.
        package var graceFixes = 5
        /// How far off a receiver may be that has just begun, in metres; a cold start is by up to 300 m.
        package var coldStartMeters = 300.0

        package init() {}

        /// The furthest that two fixes of these accuracies can lie apart, in metres.
        @inline(__always)
        func reachMeters(in seconds: Double, _ accuracy: Double, _ otherAccuracy: Double) -> Double {
            maximumSpeedMetersPerSecond * (seconds + stampJitterSeconds) + accuracyFactor * (accuracy + otherAccuracy)
        }
    }

    /// When a track counts as seen before.
    package struct Replay: Sendable, Equatable {
        /// Chunks of tracks remembered per partition: those of 62 minutes of 10,000 updates a second, of which one in 40
        /// completes a chunk.
        package var rememberedChunks = 917_504
        /// A chunk counts as driven before when that was at least this long ago, in seconds of stream time.
        package var minimumAgeSeconds = 60.0
        /// Fixes in a chunk at least.
        package var minimumChunkFixes = 5
        /// A chunk ends at a coordinate whose hash ends in this many zero bits: one in 2^bits.
        package var anchorBits = 2
        /// Fixes enter a chunk when they are this far from the one before, in metres.
        package var minimumStepMeters = 10.0
        /// How far two honest vehicles in one street differ at a fix along each axis, in metres: what their receivers,
        /// lanes and speeds add up to in the least.
        package var usualDifferenceMeters = 3.5

        static let capacities = 1...1 << 20

        package init() {}
    }

    /// How signals add up.
    package struct Risk: Sendable, Equatable {
        /// Log-odds of forgery for a driver without any signal.
        package var priorLogOdds = -4.0
        /// Time in which the evidence halves, in seconds.
        package var halfLifeSeconds = 90.0
        /// No single signal weighs more, in log-odds.
        package var maximumSignal = 3.0
        /// What the fixes of one window of ``windowSeconds`` add at most, jumps and what proves a forgery apart, in
        /// log-odds: with 4.8 the risk of a driver without evidence before stays at 0.69, under ``suspectRisk``.
        ///
        /// A window that looks forged may have a cause that nobody thought of; a second one is needed.
        package var maximumWindowEvidence = 4.8
        /// The evidence saturates here, in log-odds, so that a driver can be released again.
        package var maximumEvidence = 12.0
        /// The signals that a bad sky, or another honest cause, can be behind as well saturate here, in log-odds.
        ///
        /// They count in place of the others where they are more, not on top of them: a street between high houses
        /// makes jumps, swerves and contradictions all at once, and is no proof however long it is. With 3.5 the risk
        /// stays at 0.38.
        package var maximumSkyEvidence = 3.5
        /// Evidence that a relocation out of reach leaves for ``holdSeconds``, in log-odds: under ``releaseRisk``.
        package var heldEvidence = 3.0
        /// The same, among the signals of the sky, for a jump that time has brought within reach.
        package var heldSkyEvidence = 2.0
        /// How long the risk stays raised after a relocation, in seconds; to the minute.
        ///
        /// A flag outlasts a silence of this length, too.
        package var holdSeconds = 900.0
        /// While a driver is flagged, a silence makes the evidence fade no more than this time does, in seconds: a flag
        /// ends by fixes without a signal, not by silence.
        package var flaggedSilenceSeconds = 60.0
        /// From this risk a driver is a suspect.
        package var suspectRisk = 0.7
        /// From this risk, over several windows, a driver is flagged.
        package var flagRisk = 0.95
        /// Windows in a row over ``flagRisk``.
        package var flagWindows = 3
        /// Length of those windows, in seconds.
        package var windowSeconds = 10.0
        /// Under this risk a flagged driver is released.
        package var releaseRisk = 0.3
        /// A driver flagged for this long becomes a case for people, in seconds.
        package var reviewSeconds = 300.0
        /// From this risk on it is said which signals it is from.
        package var explainedRisk = 0.2
        /// Log-odds by which what is too weak to be evidence raises the risk at most, which is a risk of 0.12.
        ///
        /// Hints put drivers without evidence in order whom a person may want to look at, and lead to nothing else.
        /// They were fitted on the fitting half and seeds 31 to 47, for the area under the curve.
        package var maximumHint = 2.0

        package init() {}
    }

    /// When the drivers are not blamed for positions that go wrong.
    package struct Disturbance: Sendable, Equatable {
        /// Drivers of an area who go wrong within a window make it a disturbance of GNSS, when there are as many as
        /// this.
        package var drivers = 3
        /// And when they are this share of those who are active there.
        package var share = 0.05
        /// Length of the window, in seconds; a quarter of ``TrackingSettings/memorySeconds`` at most.
        package var windowSeconds = 60.0
        /// How far from a driver its area reaches, in metres.
        package var radiusMeters = 2_000.0
        /// Drivers whose fixes end this near to each other, in metres, do not testify for each other.
        package var samePointMeters = 1.0
        /// Drivers who went wrong lately that a partition remembers.
        package var rememberedDrivers = 1_024

        package init() {}
    }
}
