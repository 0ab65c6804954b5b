import Model
import Smoothing
import Support

/// What the pipeline remembers of one driver between two fixes: plain numbers, without a reference.
///
/// Every field is kept in exactly the precision in which it is stored, so a judge that continues from a restored state
/// gives the same bits as one that never stopped. A group that was not needed yet is equal to its initial value, and
/// is then left out of the encoding.
package struct DriverState: Sendable, Equatable {
    // In an order that leaves hardly a byte unused: with a million drivers, padding is megabytes. Wide fields come
    // before narrow ones in the groups, and groups of narrow fields fill what wide ones leave. Some groups are stored as
    // they lie in memory (DriverState+Coding.swift): another order of their fields is another version.
    var order = Order()
    package var motion = MotionState()
    var rate = Rate()
    var jump = Jump()
    var live = Live()
    var track = Track()
    var steps = Steps()
    var rhythm = Rhythm()
    /// Whether there was a record at all.
    package internal(set) var isKnown = false
    var causes = Causes()
    var reach = Reach()
    var window = Window()
    var warnings = Warnings()
    var headings = Headings()
    var risk = Risk()
    var drift = Drift()
    var fields = Fields()
    /// Stream time of the last record of this driver.
    package internal(set) var seenAt = Timestamp(milliseconds: 0)
    var clock = Clock()
    var equalRun = EqualRun()

    package init() {}

    /// Which fixes of the session were seen: by number, or by id where the device numbers none (``IdentityMemory``).
    struct Order: Sendable, Equatable {
        var lastSequence: Int64 = 0
        /// Device time of the last fix in order, in milliseconds.
        var deviceMilliseconds: Int64 = 0
        /// Content of the last eight sequences, by their low three bits; 0 for one that was not seen.
        var contents = ContentRing()
        /// Low bits of the session's hash; 0 when the device names none.
        var session: UInt32 = 0
        var previousSession: UInt32 = 0
        /// Low bits of the content hash of the last fix in order.
        var lastContent: UInt32 = 0
        var missing = MissingSequences()
        var hasSequence = false
        var hasDevice = false
        /// Whether the session has had a fix in order.
        var isBegun = false
    }

    /// Receipt minus device time: the least of one to two windows; see ``Clock/observe(lagMilliseconds:isCached:receivedAt:_:)``.
    struct Clock: Sendable, Equatable {
        struct Known: Sendable, Equatable {
            var offsetMilliseconds: Int64 = 0
            var isKnown = false
        }

        /// What the last fixes say instead.
        struct Other: Sendable, Equatable {
            var offsetMilliseconds: Int64 = 0
            var since = ShortTime()
            /// Fixes in a row that agree on it.
            var fixes: UInt8 = 0
        }

        /// What the fixes of a window show, which is taken over at its end.
        struct Recent: Sendable, Equatable {
            /// Receipt minus device time at least, in milliseconds above ``Known/offsetMilliseconds``; saturates.
            var risenMilliseconds: UInt32 = 0
            /// Receipt of the first of them.
            var since = ShortTime()
            /// How many there were; saturates.
            var fixes: UInt8 = 0
        }

        var other = Other()
        var known = Known()
        var recent = Recent()
    }

    /// Two token buckets, by what was taken out of them; see ``Rate/take(receivedAt:isOnTrip:_:)``.
    struct Rate: Sendable, Equatable {
        /// Out of the bucket that fills at the rate on a trip: by every live fix.
        var spent: Float = 0
        /// Out of the bucket that fills at the rate off a trip: by fixes that name no trip.
        var offTripSpent: Float = 0
        /// When both were brought up to date last.
        var at = ShortTime()
    }

    /// The last fix that was believed.
    struct Live: Sendable, Equatable {
        var point = GridPoint()
        /// Device time, or receipt brought to the device's clock.
        var at = ShortTime()
        var receivedAt = ShortTime()
        /// When a usable fix was last heard, believed or not, on the device's clock.
        var heardAt = ShortTime()
        /// When the device first gave ``point``: devices send an old position again until they have a new one.
        var pointSince = ShortTime()
        var accuracy = ShortLength()
        /// Usable fixes since the last gap; saturates.
        var fixesSinceGap: UInt8 = 0
        var isKnown = false
    }

    /// A rejected jump that may turn out to be a relocation; after one, the place that it left (``isOrigin``).
    struct Jump: Sendable, Equatable {
        var point = GridPoint()
        var at = ShortTime()
        var accuracy = ShortLength()
        var fixes: UInt8 = 0
        /// How many of its fixes the driver is blamed for.
        var blamedFixes: UInt8 = 0
        /// What they added to the evidence, as far as it has not faded, in log-odds.
        var blame: Float = 0
    }

    /// A vehicle that is faster than any can be, by the fixes that were believed.
    struct Reach: Sendable, Equatable {
        /// Where the vehicle was when it began to be faster than any; while ``isFast``.
        var start = GridPoint()
        /// Since then, in 32nds of a second, and in the lowest bit ``isLenient``; 0 while it is not.
        var timeAndLeniency: UInt16 = 0
        var startAccuracy = ShortLength()

        /// Whether the vehicle has come further from ``start`` than any can at its fastest.
        @inline(__always)
        var isFast: Bool { timeAndLeniency > 1 }

        /// Whether a fix on the way from ``start`` was one of the first of a session, or after a gap.
        @inline(__always)
        var isLenient: Bool {
            get { timeAndLeniency & 1 != 0 }
            set { timeAndLeniency = timeAndLeniency & ~1 | (newValue ? 1 : 0) }
        }
    }

    /// The signals that the evidence in ``Risk`` is from: four of them, as bytes from low to high.
    struct Causes: Sendable, Equatable, BitwiseCopyable {
        /// Numbers of the signals' bits, plus 1; 0 for none.
        var signals: UInt32 = 0
        /// What each has added, as far as it has not faded, in sixteenths.
        var weights: UInt32 = 0
    }

    /// Fields that did not change from fix to fix.
    struct Fields: Sendable, Equatable {
        /// Short hashes of the last values; 0 where there is none.
        var accuracyHash: UInt8 = 0
        var altitudeHash: UInt8 = 0
        var speedHash: UInt8 = 0
        /// Fixes in a row with the same accuracy and altitude, and with the same speed as well.
        var fieldsRun: UInt8 = 0
        var speedRun: UInt8 = 0
        var zeroAccuracyRun: UInt8 = 0
        var accuracy = Habit()
        var altitude = Habit()
        var speed = Habit()
        /// Overdue changes of all fields while none of them changes, in eighths.
        var overdue: UInt8 = 0
        /// Fixes that the habits were learnt from; saturates.
        var learnt: UInt8 = 0
    }

    /// The intervals at which the device takes its fixes.
    struct Rhythm: Sendable, Equatable {
        /// The last interval; 0 where there is none.
        var milliseconds: UInt16 = 0
        var habit = Habit()
        /// Intervals that the habit was learnt from; saturates.
        var learnt: UInt8 = 0
    }

    /// The last step, and what the steps before it were like.
    struct Steps: Sendable, Equatable {
        /// The last step, in units of ``TrackStep/unitMeters``.
        var east: Int16 = 0
        var north: Int16 = 0
        /// What it took; 0 where there is no last step to compare with.
        var milliseconds: UInt16 = 0
        /// Reported speed at its end, in cm/s; the maximum where there was none.
        var speed: UInt16 = .max
        /// Logarithms of how much steps differ from those before, lately and usually; see ``UnsteadinessRule``.
        var usualUnsteadiness: UInt16 = 0
        var recentUnsteadiness: UInt8 = 0
        /// How often steps swerve to the other side of the one before: from 0, never, to 255, always.
        var swerves: UInt8 = 0
        /// ``swerveSide`` in the two lowest bits, ``equalHalfSeconds`` in the others.
        var side: UInt8 = 0
        /// Comparisons learnt from; saturates.
        var learnt: UInt8 = 0
        /// Is unused; keeps the layout of states that earlier releases stored.
        var reserved: UInt8 = 0
        /// Seconds from fix to fix as a rule, rounded; 0 where it is not known.
        var intervalSeconds: UInt8 = 0
    }

    /// Way made beyond the way reported.
    struct Drift: Sendable, Equatable {
        /// In decimetres.
        var east: Int16 = 0
        var north: Int16 = 0
        /// What it usually amounts to, in 256ths of a metre.
        var usual: UInt16 = 0
        /// Steps learnt from; saturates.
        var learnt: UInt8 = 0
    }

    /// The window over which speeds are compared.
    struct Window: Sendable, Equatable {
        var start = GridPoint()
        var at = ShortTime()
        var startAccuracy = ShortLength()
        /// Length of the way from fix to fix.
        var path = ShortDistance()
        /// Reported speeds times their intervals.
        var reported = ShortDistance()
        var fixes: UInt8 = 0
        var hasSpeeds = false
    }

    /// The chunk of track that is being hashed.
    struct Track: Sendable, Equatable {
        var hash: UInt64 = 0
        var point = GridPoint()
        var fixes: UInt8 = 0
        var matches: UInt8 = 0
    }

    /// Evidence of forgery.
    struct Risk: Sendable, Equatable {
        /// Sum of decayed log-likelihood ratios.
        var evidence: Float = 0
        var at = ShortTime()
        /// The part that a bad sky can be the cause of as well; see ``TrackingSettings/Risk/maximumSkyEvidence``.
        var sky: Float = 0
        var flaggedAt = ShortTime()
        /// What was added in the window that began at ``windowBegan``; see
        /// ``TrackingSettings/Risk/maximumWindowEvidence``.
        var windowEvidence: Float = 0
        /// When the fix was taken whose evidence began the window.
        var windowBegan = ShortTime()
        /// Number of the last window that was over the risk of a flag, modulo 256.
        var window: UInt8 = 0
        var windows: UInt8 = 0
        /// Minute of stream time, modulo 255 and plus 1, until which the evidence does not fade away; 0 for none.
        var heldUntil: UInt8 = 0
        /// Whether what is held is that of a relocation out of reach.
        var holdsRelocation = false
        var isFlagged = false
        /// Whether the partition's ``DisturbanceMemory`` may hold an anomaly of the driver.
        var isAnomalous = false
    }

    /// Codes that were raised in this window and in the one before, as bits of ``Reasons``; those of either go on.
    struct Warnings: Sendable, Equatable {
        /// The most severe action of each code raised in this window: two bits per code.
        var recentActions: UInt32 = 0
        /// The same of the window before.
        var olderActions: UInt32 = 0
        /// What was warned of last, of each code that goes on.
        var toldActions: UInt32 = 0
        var recent: UInt16 = 0
        var older: UInt16 = 0
        /// Number of the window, modulo 256.
        var window: UInt8 = 0
    }
}
