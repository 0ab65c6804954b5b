import Support

/// State of one driver between fixes: plain numbers in the precision in which they are stored.
///
/// Unused groups equal their initial value and are not encoded.
package struct DriverState: Sendable, Equatable {
    // Ordered to avoid padding, which costs megabytes with a million drivers. Some groups are stored as in memory
    // (DriverState+Coding.swift), so reordering their fields requires a new version.
    var order = Order()
    package var motion = MotionState()
    var rate = Rate()
    var jump = Jump()
    var lastAccepted = LastAcceptedFix()
    var track = Track()
    var steps = Steps()
    var rhythm = Rhythm()
    /// Whether any record of this driver was received.
    package internal(set) var isKnown = false
    var topSignals = TopSignals()
    var overspeed = OverspeedStart()
    var window = Window()
    var warnings = Warnings()
    var headings = Headings()
    var risk = Risk()
    var drift = Drift()
    var fields = Fields()
    package internal(set) var seenAt = Timestamp(milliseconds: 0)
    var clock = Clock()
    var equalRun = EqualRun()

    package init() {}

    /// Seen fixes of the session, by sequence number or by id (``IdentityMemory``).
    struct Order: Sendable, Equatable {
        var lastSequence: Int64 = 0
        /// Device time of the last fix in order, in milliseconds.
        var deviceMilliseconds: Int64 = 0
        /// ``SequenceMark`` of the last eight sequences, by their low three bits; 0 if not seen.
        var contents = ContentRing()
        /// Low bits of the session's hash; 0 without a session id.
        var session: UInt32 = 0
        var previousSession: UInt32 = 0
        /// Low bits of the last content hash without a sequence; with a sequence, see ``lowerNumberedFixes``.
        var lastContent: UInt32 = 0
        var missing = MissingSequences()
        var hasSequence = false
        var hasDevice = false
        /// Whether the session has had a fix in order.
        var isBegun = false
    }

    /// Receipt minus device time; see ``Clock/observe(lagMilliseconds:isCached:receivedAt:_:)``.
    struct Clock: Sendable, Equatable {
        struct Known: Sendable, Equatable {
            var offsetMilliseconds: Int64 = 0
            var isKnown = false
        }

        /// New offset that recent fixes indicate.
        struct Candidate: Sendable, Equatable {
            var offsetMilliseconds: Int64 = 0
            var since = ShortTime()
            /// Number of consecutive fixes that agree on this offset.
            var fixes: UInt8 = 0
        }

        /// Smallest offset of the current window, adopted at its end.
        struct OffsetWindow: Sendable, Equatable {
            /// Smallest receipt minus device time, in milliseconds above ``Known/offsetMilliseconds``; saturates.
            var risenMilliseconds: UInt32 = 0
            /// Receipt of the first fix.
            var since = ShortTime()
            /// Number of fixes; saturates.
            var fixes: UInt8 = 0
        }

        var candidate = Candidate()
        var known = Known()
        var window = OffsetWindow()
    }

    /// Two token buckets, stored as the tokens acquired; see ``Rate/acquire(receivedAt:isOnTrip:_:)``.
    struct Rate: Sendable, Equatable {
        /// Tokens acquired from the on-trip bucket, one by each live fix.
        var spent: Float = 0
        /// Tokens acquired from the off-trip bucket, by fixes without a trip id.
        var offTripSpent: Float = 0
        /// Last refill of both buckets.
        var at = ShortTime()
    }

    struct LastAcceptedFix: Sendable, Equatable {
        var point = GridPoint()
        /// Device time, or the receipt converted to the device clock.
        var at = ShortTime()
        var receivedAt = ShortTime()
        /// Time of the last usable fix, accepted or not, on the device clock.
        var lastUsableAt = ShortTime()
        /// Time at which the device first reported ``point``; devices repeat a position until they have a new one.
        var pointSince = ShortTime()
        var accuracy = ShortLength()
        /// Number of usable fixes since the last gap; saturates.
        var fixesSinceGap: UInt8 = 0
        var isKnown = false
    }

    /// Pending rejected jump or, after a relocation, the position before it (``isOrigin``).
    struct Jump: Sendable, Equatable {
        var point = GridPoint()
        var at = ShortTime()
        var accuracy = ShortLength()
        var fixes: UInt8 = 0
        /// Number of the jump's fixes that added evidence.
        var evidenceFixes: UInt8 = 0
        /// Remaining evidence added by ``evidenceFixes``, in log-odds.
        var evidence: Float = 0
    }

    /// Start of a stretch on which accepted fixes exceed the maximum speed.
    struct OverspeedStart: Sendable, Equatable {
        /// Position at which the stretch started; valid while ``isFast``.
        var start = GridPoint()
        /// Duration in 1/32 s, with ``isLenient`` in the lowest bit; 0 if there is no such stretch.
        var timeAndLeniency: UInt16 = 0
        var startAccuracy = ShortLength()

        /// Whether the vehicle is farther from ``start`` than the maximum speed allows.
        @inline(__always) var isFast: Bool { timeAndLeniency > 1 }

        /// Whether a fix of the stretch was among the first of a session or after a gap.
        @inline(__always) var isLenient: Bool {
            get { timeAndLeniency & 1 != 0 }
            set { timeAndLeniency = timeAndLeniency & ~1 | (newValue ? 1 : 0) }
        }
    }

    /// The four largest contributions to the evidence in ``Risk``, as bytes from low to high.
    struct TopSignals: Sendable, Equatable, BitwiseCopyable {
        /// Bit numbers of the signals, plus 1; 0 if empty.
        var signals: UInt32 = 0
        /// Remaining contributions, in 1/16 log-odds.
        var weights: UInt32 = 0
    }

    /// Repeated values of reported fields.
    struct Fields: Sendable, Equatable {
        /// Short hashes of the last values; 0 if missing.
        var accuracyHash: UInt8 = 0
        var altitudeHash: UInt8 = 0
        var speedHash: UInt8 = 0
        /// Consecutive fixes with the same accuracy and altitude.
        var fieldsRun: UInt8 = 0
        /// Consecutive fixes with the same accuracy, altitude and speed.
        var speedRun: UInt8 = 0
        var zeroAccuracyRun: UInt8 = 0
        var accuracy = Habit()
        var altitude = Habit()
        var speed = Habit()
        /// Expected changes of all fields since any of them changed, in 1/8.
        var expectedChanges: UInt8 = 0
        /// Fixes learned from; saturates.
        var learnedFixes: UInt8 = 0
    }

    /// Changes of the reported heading while driving; see ``OverdueHeadingRule``.
    struct Headings: Sendable, Equatable {
        /// Short hash of the last heading; 0 if missing.
        var hash: UInt8 = 0
        var habit = Habit()
    }

    /// Intervals between the device's fixes.
    struct Rhythm: Sendable, Equatable {
        /// Last interval; 0 if unknown.
        var milliseconds: UInt16 = 0
        var habit = Habit()
        /// Intervals learned from; saturates.
        var learnedFixes: UInt8 = 0
    }

    /// Last step and statistics of earlier steps.
    struct Steps: Sendable, Equatable {
        /// Last step, in units of ``TrackStep/unitMeters``.
        var east: Int16 = 0
        var north: Int16 = 0
        /// Duration; 0 without a comparable last step.
        var milliseconds: UInt16 = 0
        /// Reported speed at the end of the step, in cm/s; the maximum if missing.
        var speed: UInt16 = .max
        /// Logarithms of the usual and recent change between steps; see ``UnsteadinessRule``.
        var usualUnsteadiness: UInt16 = 0
        var recentUnsteadiness: UInt8 = 0
        /// Share of steps that alternate sides: 0 never, 255 always.
        var swerves: UInt8 = 0
        /// ``swerveSide`` in the two lowest bits, ``equalHalfSeconds`` in the other bits.
        var side: UInt8 = 0
        /// Comparisons learned from; saturates.
        var learnedFixes: UInt8 = 0
        /// Unused; keeps the stored layout.
        var reserved: UInt8 = 0
        /// Usual seconds between fixes, rounded; 0 if unknown.
        var intervalSeconds: UInt8 = 0
    }

    /// Driven minus reported displacement; see ``DriftRule``.
    struct Drift: Sendable, Equatable {
        /// Displacement, in decimetres.
        var east: Int16 = 0
        var north: Int16 = 0
        /// Usual size, in 1/256 m.
        var usual: UInt16 = 0
        /// Steps learned from; saturates.
        var learnedFixes: UInt8 = 0
    }

    /// Window over which speeds are compared; see ``SpeedContradictionRule``.
    struct Window: Sendable, Equatable {
        var start = GridPoint()
        var at = ShortTime()
        var startAccuracy = ShortLength()
        /// Sum of the distances from fix to fix.
        var path = ShortDistance()
        /// Sum of reported speeds times intervals.
        var reported = ShortDistance()
        var fixes: UInt8 = 0
        var hasSpeeds = false
    }

    /// Chunk of track that is being hashed, and the repeated chunks before it; see ``ReplayedTrackRule``.
    struct Track: Sendable, Equatable {
        var hash: UInt64 = 0
        var point = GridPoint()
        var fixes: UInt8 = 0
        var repeatedBits: UInt8 = 0
    }

    struct Risk: Sendable, Equatable {
        /// Sum of decayed log-likelihood ratios.
        var evidence: Float = 0
        var at = ShortTime()
        /// Evidence that poor GNSS conditions can also cause; see ``TrackingSettings/Risk/maximumAmbiguousEvidence``.
        var ambiguousEvidence: Float = 0
        var flaggedAt = ShortTime()
        /// Evidence since ``windowBegan``; see ``TrackingSettings/Risk/maximumWindowEvidence``.
        var windowEvidence: Float = 0
        /// Time of the fix whose evidence started the window.
        var windowBegan = ShortTime()
        /// Number of the last window above the flag risk, modulo 256.
        var window: UInt8 = 0
        /// Number of windows above the flag risk since the risk was last below it; saturates.
        var windows: UInt8 = 0
        /// Minute of stream time (modulo 255, plus 1) until which evidence is held at a minimum; 0 without a hold.
        var heldUntil: UInt8 = 0
        /// Whether the held evidence is that of an unreachable relocation.
        var holdsRelocation = false
        var isFlagged = false
        /// Whether the partition's ``DisturbanceMemory`` may contain an anomaly of the driver.
        var isAnomalous = false
    }

    /// Codes raised in the current and the previous window, as bits of ``Reasons``; both are active.
    struct Warnings: Sendable, Equatable {
        /// Most severe action of each code in the current window: two bits per code.
        var recentActions: UInt32 = 0
        /// Most severe actions in the previous window.
        var olderActions: UInt32 = 0
        /// Last sent action of each active code.
        var lastActions: UInt32 = 0
        var recent: UInt16 = 0
        var older: UInt16 = 0
        /// Number of the window, modulo 256.
        var window: UInt8 = 0
    }
}
