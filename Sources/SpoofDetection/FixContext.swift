import Model
import Support

/// One fix while it is judged: the fix, its times, what follows from the fixes before it, what is known of its driver,
/// and what was found.
///
/// What is `nil` or at its initial value is not known yet; ``SpoofRules`` says what is known where.
struct FixContext {
    var fix: Fix
    let receivedAt: Timestamp
    let streamTime: Timestamp
    /// The time of what drivers share; behind ``streamTime`` where the partition has not followed the receipt.
    let partitionTime: Timestamp
    /// Device time since the driver's last fix in order.
    var sinceLastMilliseconds: Int64?
    /// The device's time of the fix, or the receipt brought to the device's clock.
    var at: Timestamp
    /// Whether the fix is judged and then marked as beyond the driver's rate.
    var isHeldBack = false
    /// Whether the driver went wrong lately together with others of its area.
    var isDisturbed = false
    /// The chunk of track that the fix completes, if it does.
    var chunk: TrackChunk?
    /// How the fix connects to the last one believed.
    var motion = Motion()
    /// What changed in its fields; `nil` unless the vehicle moves.
    var fields: FieldReading?
    var passage = TrackContinuity.continues
    /// The step to the fix, where it continues the track.
    var step: TrackStep?
    /// What the filter made of it, where it took it in as a continuation.
    var filterMove: FilterMove?
    /// What is known of the driver, with this fix as far as it was judged.
    var driver: DriverState
    /// What speaks against the driver by this fix.
    var evidence = FixEvidence()
    /// The answer, as far as it is known.
    var judgement: VerdictResult

    /// Device times beyond this many milliseconds from 1970 (285,000 years) are noise, and would overflow.
    private static let maximumMilliseconds: Int64 = 1 << 53

    /// Takes out of `fix` what no device measures, so that nothing after this has to guard against it.
    @inline(__always)
    init(
        fix: Fix, receivedAt: Timestamp, streamTime: Timestamp, partitionTime: Timestamp? = nil, driver: DriverState
    ) {
        self.fix = fix
        self.driver = driver
        judgement = VerdictResult(verdict: .accepted, fixedAt: receivedAt)
        self.receivedAt = receivedAt
        self.streamTime = streamTime
        self.partitionTime = partitionTime ?? streamTime
        at = receivedAt
        if let deviceAt = fix.deviceAt, deviceAt.milliseconds.magnitude > Self.maximumMilliseconds {
            self.fix.deviceAt = nil
        }
        if let accuracy = fix.accuracyMeters, accuracy < 0 { self.fix.hasInvalidPosition = true }
        if let accuracy = fix.accuracyMeters, !(accuracy > 0 && accuracy < 1e7) {
            self.fix.accuracyMeters = accuracy >= 1e7 ? 1e7 : nil
        }
        if let speed = fix.speedMetersPerSecond, !(speed >= 0 && speed < 1e4) { self.fix.speedMetersPerSecond = nil }
        if let heading = fix.headingDegrees, !(heading >= 0 && heading < 360) { self.fix.headingDegrees = nil }
    }

    /// In range, finite, and not exactly (0, 0).
    @inline(__always)
    var isOnEarth: Bool {
        let latitude = fix.coordinate.latitude
        let longitude = fix.coordinate.longitude
        return latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
            && !(latitude == 0 && longitude == 0)
    }

    /// Receipt minus device time.
    @inline(__always)
    var lagMilliseconds: Int64? { fix.deviceAt.map { receivedAt.milliseconds &- $0.milliseconds } }

    /// Seconds since the last fix believed, at most 1: what each fix repeats, such as a frozen field, is evidence per
    /// second and not per fix, or a device that measures ten times a second would be ten times as suspect.
    @inline(__always)
    var evidenceSeconds: Double {
        driver.live.isKnown ? min(1, max(0, driver.live.at.seconds(until: at))) : 1
    }

    /// How much a fix counts that breaks a habit: ``evidenceSeconds``, and more of a device that takes its fixes rarely,
    /// up to 3 from every twenty seconds on.
    ///
    /// Evidence fades with time, and of such a device it would have faded before enough fixes came.
    @inline(__always)
    func habitEvidence(_ settings: TrackingSettings) -> Double {
        guard driver.reportsRarely(settings) else { return evidenceSeconds }
        let half = settings.jumps.graceGapSeconds / 2
        return max(1, min(3, Double(driver.steps.intervalSeconds) / half - 1))
    }

    /// The accuracy, or what is assumed where there is none, in metres.
    @inline(__always)
    func accuracyMeters(_ settings: TrackingSettings.Quality) -> Double {
        // A position that the device calls invalid may be anywhere.
        fix.hasInvalidPosition ? Self.invalidAccuracyMeters : fix.accuracyMeters ?? settings.unknownAccuracyMeters
    }

    private static let invalidAccuracyMeters = 1e7

    /// When the fix was taken, in the pipeline's time, and never after it was received.
    @inline(__always)
    var fixedAt: Timestamp {
        guard let deviceAt = fix.deviceAt else { return receivedAt }
        return min(receivedAt, Timestamp(milliseconds: deviceAt.milliseconds &+ driver.clock.known.offsetMilliseconds))
    }

    /// Whether the device says that it stands.
    @inline(__always)
    func saysItStands(_ settings: TrackingSettings) -> Bool {
        (fix.speedMetersPerSecond ?? .infinity) < settings.smoothing.minimumSpeedForHeadingMetersPerSecond
    }

    /// Whether the device says that it stands, and its position may still be coming back from a gap to where it is: a
    /// cold start is off by hundreds of metres at first, and no speed tells of that.
    @inline(__always)
    func isSettling(_ settings: TrackingSettings) -> Bool {
        Int(driver.live.fixesSinceGap) <= settings.signals.settlingFixes && saysItStands(settings)
            && !driver.reportsRarely(settings)
    }

    /// Whether the last step is about its share of the way since the window began: where a single fix was off, at
    /// either end, one step is all of it.
    func isUnderWay(_ settings: TrackingSettings.Signals) -> Bool {
        let seconds = driver.window.at.seconds(until: at)
        guard seconds > 0 else { return false }
        let way = TangentPlane(origin: driver.window.start.coordinate).point(of: fix.coordinate)
        // Both times the length of the way.
        let along = way.east * motion.east + way.north * motion.north
        let all = way.east * way.east + way.north * way.north
        return along >= settings.leastStepShare * all * motion.seconds / seconds
            && along <= settings.greatestStepOfWindow * all
    }
}
