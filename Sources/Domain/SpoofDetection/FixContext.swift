import Support

/// One fix under evaluation, with its times, its driver and the results so far; see ``SpoofRules``.
struct FixContext {
    var fix: Fix
    let receivedAt: Timestamp
    let streamTime: Timestamp
    /// Stream time of the partition, for memories shared by drivers; ``streamTime`` is later for a receipt ahead of it.
    let partitionTime: Timestamp
    /// Device time since the driver's last fix in order.
    var sinceLastMilliseconds: Int64?
    /// Device time of the fix, or the receipt converted to the device clock.
    var at: Timestamp
    /// Whether the fix is marked throttled after evaluation.
    var exceedsOffTripRate = false
    /// Whether the driver is affected by GNSS interference in its area.
    var isDisturbed = false
    var chunk: TrackChunk?
    var motion = Motion()
    /// Changed fields; `nil` if the vehicle does not move.
    var fields: FieldReading?
    var trackContinuity = TrackContinuity.continues
    /// Step to the fix, if it continues the track.
    var step: TrackStep?
    /// Position of the filter before this fix, if the fix continues its track.
    var filterOrigin: Coordinate?
    /// State of the driver, including this fix as far as it is evaluated.
    var driver: DriverState
    var evidence = FixEvidence()
    var result: VerdictResult

    /// Device times beyond ±285,000 years are invalid and would overflow.
    private static let maximumMilliseconds: Int64 = 1 << 53

    /// Creates the context of a fix and removes values that no device measures, which rules then need not check.
    @inline(__always) init(
        fix: Fix, receivedAt: Timestamp, streamTime: Timestamp, partitionTime: Timestamp? = nil, driver: DriverState
    ) {
        self.fix = fix
        self.driver = driver
        result = VerdictResult(verdict: .accepted, fixedAt: receivedAt)
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

    /// Whether the position is in range, finite and not exactly (0, 0).
    @inline(__always) var isOnEarth: Bool {
        let latitude = fix.coordinate.latitude
        let longitude = fix.coordinate.longitude
        return latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
            && !(latitude == 0 && longitude == 0)
    }

    @inline(__always) var lagMilliseconds: Int64? { fix.deviceAt.map { receivedAt.milliseconds &- $0.milliseconds } }

    /// Seconds since the last accepted fix, up to 1, so that repeated findings count per second, not per fix.
    @inline(__always) var evidenceSeconds: Double {
        driver.lastAccepted.isKnown ? min(1, max(0, driver.lastAccepted.at.seconds(until: at))) : 1
    }

    /// Returns the weight of a broken habit: ``evidenceSeconds``, or 1 to 3 for usual intervals of 10 to 20 s or more.
    @inline(__always) func habitEvidence(_ settings: TrackingSettings) -> Double {
        guard driver.reportsRarely(settings) else { return evidenceSeconds }
        let half = settings.jumps.graceGapSeconds / 2
        return max(1, min(3, Double(driver.steps.intervalSeconds) / half - 1))
    }

    /// Returns the reported accuracy, or the assumed accuracy if missing, in metres.
    @inline(__always) func accuracyMeters(_ settings: TrackingSettings.Quality) -> Double {
        // A position that the device marks invalid may be anywhere.
        fix.hasInvalidPosition ? Self.invalidAccuracyMeters : fix.accuracyMeters ?? settings.unknownAccuracyMeters
    }

    private static let invalidAccuracyMeters = 1e7

    /// Time of the fix on the pipeline's clock, limited to the receipt time.
    @inline(__always) var fixedAt: Timestamp {
        guard let deviceAt = fix.deviceAt else { return receivedAt }
        return min(receivedAt, Timestamp(milliseconds: deviceAt.milliseconds &+ driver.clock.known.offsetMilliseconds))
    }

    /// Returns whether the device reports that the vehicle is stationary.
    @inline(__always) func reportsStandstill(_ settings: TrackingSettings) -> Bool {
        (fix.speedMetersPerSecond ?? .infinity) < settings.smoothing.minimumSpeedForHeadingMetersPerSecond
    }

    /// Returns whether a device that reports standstill may still be correcting its position after a gap.
    @inline(__always) func isSettling(_ settings: TrackingSettings) -> Bool {
        Int(driver.lastAccepted.fixesSinceGap) <= settings.signals.settlingFixes && reportsStandstill(settings)
            && !driver.reportsRarely(settings)
    }

    /// Returns whether the last step is a plausible share of the window's displacement: not too small, not nearly all.
    func isSteadyStep(_ settings: TrackingSettings.Signals) -> Bool {
        let seconds = driver.window.at.seconds(until: at)
        guard seconds > 0 else { return false }
        let displacement = TangentPlane(origin: driver.window.start.coordinate).point(of: fix.coordinate)
        // Both values are multiplied by the displacement.
        let along = displacement.east * motion.east + displacement.north * motion.north
        let all = displacement.east * displacement.east + displacement.north * displacement.north
        return along >= settings.leastStepShare * all * motion.seconds / seconds
            && along <= settings.greatestStepOfWindow * all
    }
}

/// Evidence collected for one fix, before interference is ruled out.
struct FixEvidence {
    /// Warning of the first position-based evidence.
    var candidateWarning: LocationWarning?
    /// Weight of all position-based evidence, in log-odds.
    var candidateWeight: Float = 0
    /// Signal of the first position-based evidence with a weight.
    var candidateSignal = Signals.jump
    /// Weight of evidence that poor GNSS conditions can also cause, in log-odds.
    var gnssWeight: Float = 0
    /// Signal with the largest ambiguous weight, and its weight.
    var gnssSignal = Signals.jump
    var heaviestGnssWeight: Float = 0
    /// Sum of hints, in log-odds; see ``TrackingSettings/Risk/maximumHint``.
    var hint: Float = 0
    /// Whether a jump that added evidence became reachable.
    var isJumpWithinReach = false
    /// Whether a jump that added evidence was a single outlier.
    var isJumpStray = false
}

/// Relation of a fix to the last accepted fix.
enum TrackContinuity {
    /// Reachable from the last accepted fix.
    case continues
    /// At an unreachable position, at which the filter restarts.
    case startsOver
    /// At an unreachable position, and rejected.
    case isJump
}
