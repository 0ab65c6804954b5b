/// What the pipeline remembers of one driver between two fixes: plain numbers, without a reference.
///
/// Every field is kept in exactly the precision in which it is stored, so a judge that continues from a restored state
/// gives the same bits as one that never stopped. A group that was not needed yet is equal to its initial value, and
/// is then left out of the encoding.
package struct DriverState: Sendable, Equatable {
    /// Lane time of the last record of this driver.
    package internal(set) var seenAt = Timestamp(milliseconds: 0)
    // Wide fields before narrow ones, here and in the groups: with a million drivers, padding is megabytes.
    var order = Order()
    var motion = MotionState()
    var clock = Clock()
    var live = Live()
    var track = Track()
    var window = Window()
    var risk = Risk()
    var jump = Jump()
    var warnings = Warnings()
    var rate = Rate()
    var fields = Fields()
    /// Whether there was a record at all.
    package internal(set) var isKnown = false

    package init() {}

    /// Which fixes of the session were seen.
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

    /// Receipt minus device time.
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

        var known = Known()
        var other = Other()
    }

    /// The token bucket, by what was taken out of it.
    struct Rate: Sendable, Equatable {
        var spent: Float = 0
        var at = ShortTime()
    }

    /// The last fix that was believed.
    struct Live: Sendable, Equatable {
        var point = GridPoint()
        var accuracyMeters: Float = 0
        /// Device time, or receipt brought to the device's clock, in milliseconds.
        var milliseconds: Int64 = 0
        var receivedAt = ShortTime()
        /// When a usable fix was last heard, believed or not, on the device's clock.
        var heardAt = ShortTime()
        /// When the device first gave ``point``: devices send an old position again until they have a new one.
        var pointSince = ShortTime()
        /// Usable fixes since the last gap; saturates.
        var fixesSinceGap: UInt8 = 0
        var isKnown = false
    }

    /// A rejected jump that may turn out to be a relocation.
    struct Jump: Sendable, Equatable {
        var point = GridPoint()
        var accuracyMeters: Float = 0
        var at = ShortTime()
        var fixes: UInt8 = 0
        /// How many of its fixes the driver is blamed for.
        var blamedFixes: UInt8 = 0
    }

    /// Fields that did not change from fix to fix.
    struct Fields: Sendable, Equatable {
        /// Hash of accuracy and altitude; 0 when either is missing.
        var fields: UInt16 = 0
        /// Hash of accuracy, altitude and speed; 0 when one is missing.
        var fieldsAndSpeed: UInt16 = 0
        var fieldsRun: UInt8 = 0
        var speedRun: UInt8 = 0
        var zeroAccuracyRun: UInt8 = 0
    }

    /// The window over which speeds are compared.
    struct Window: Sendable, Equatable {
        var start = GridPoint()
        var startAccuracyMeters: Float = 0
        var at = ShortTime()
        /// Length of the way from fix to fix.
        var pathMeters: Float = 0
        /// Reported speeds times their intervals.
        var reportedMeters: Float = 0
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
        /// Number of the last window that was over the risk of a flag.
        var window: UInt32 = 0
        var flaggedAt = ShortTime()
        var windows: UInt8 = 0
        var isFlagged = false
        /// Whether the lane's ``DisturbanceMemory`` may hold an anomaly of the driver.
        var isAnomalous = false
    }

    /// Codes that were warned about lately, as bits of ``Reasons``.
    struct Warnings: Sendable, Equatable {
        var recent: UInt16 = 0
        var older: UInt16 = 0
        /// Two bits per code.
        var actions: UInt32 = 0
        var window: UInt32 = 0
    }
}
