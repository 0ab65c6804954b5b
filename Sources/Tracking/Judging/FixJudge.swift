#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Answers every fix of a driver with one verdict, in a fixed order of checks, and moves the filter when it believes it.
///
/// A judge holds settings only. The same fixes with the same receipt and lane times give the same judgements, bit for
/// bit, from any state that was restored on the way.
package struct FixJudge: Sendable {
    package let settings: TrackingSettings
    let filter: KinematicFilter
    let contraryHeadingCosine: Double
    /// Risk of a driver without any signal.
    private let riskWithoutEvidence: Double

    package init(settings: TrackingSettings = TrackingSettings()) {
        precondition(settings.problems().isEmpty, "Tracking settings are checked before they are used.")
        self.settings = settings
        filter = KinematicFilter(settings: settings.smoothing)
        riskWithoutEvidence = DriverState.Risk().probability(settings.risk)
        contraryHeadingCosine = cos(settings.signals.contraryHeadingDegrees * .pi / 180)
    }

    /// Judges one fix.
    ///
    /// `receivedAt` is the record's timestamp, `laneTime` the newest of the lane so far (at least `receivedAt` in a
    /// lane that is read in order). A chunk of track that `Judgement.completedTrackChunk` reports has been remembered
    /// in `tracks` already.
    ///
    /// `driver` tells apart the drivers of the lane, whose ``DisturbanceMemory`` excuses those who go wrong together.
    package func judge(
        _ fix: Fix, receivedAt: Timestamp, laneTime: Timestamp, driver: Int, state: inout DriverState,
        tracks: inout TrackMemory, disturbances: inout DisturbanceMemory
    ) -> Judgement {
        if state.isKnown, laneTime.seconds(since: state.seenAt) > settings.memorySeconds { state = DriverState() }
        var hearing = Hearing(fix: fix, receivedAt: receivedAt, laneTime: laneTime)
        let presence = DriverState.Presence(state)
        hearing.elapsedSeconds = state.isKnown ? max(0, laneTime.seconds(since: state.seenAt)) : 0
        state.isKnown = true
        state.seenAt = laneTime
        state.risk.fade(until: laneTime, settings.risk)
        state.warnings.fade(until: laneTime)

        var judgement = Judgement(verdict: .accepted, fixedAt: receivedAt)
        if isInOrder(&hearing, &state, &judgement), isWithinRate(hearing, &state, &judgement) {
            reconsider(&hearing, driver, &state, &disturbances, &judgement)
            let usable = isUsable(hearing, &state, &judgement)
            examine(hearing, isUsable: usable, &state, &tracks, &judgement)
            decide(hearing, driver, from: presence.point, &state, &disturbances, &judgement)
        }
        disturbances.noteActivity(before: presence, after: DriverState.Presence(state))
        conclude(hearing, &state, &judgement)
        return judgement
    }

    /// Judges one fix of a driver on its own, whom no other drivers of an area excuse.
    package func judge(
        _ fix: Fix, receivedAt: Timestamp, laneTime: Timestamp, state: inout DriverState, tracks: inout TrackMemory
    ) -> Judgement {
        var disturbances = DisturbanceMemory.none
        return judge(
            fix, receivedAt: receivedAt, laneTime: laneTime, driver: 0, state: &state, tracks: &tracks,
            disturbances: &disturbances)
    }

    /// Shape, order and clock: whether the fix is the newest of its driver, with a time that can be.
    @inline(__always)
    private func isInOrder(_ hearing: inout Hearing, _ state: inout DriverState, _ judgement: inout Judgement) -> Bool {
        guard hearing.isOnEarth else {
            // Its sequence number counts as seen, or it would pass for a lost fix.
            if hearing.fix.sequence != nil { _ = state.order.place(hearing.fix, settings.order) }
            reject(&judgement, .nullIsland)
            warn(.nullIsland, .reject, hearing, &state, &judgement)
            return false
        }
        switch state.order.place(hearing.fix, settings.order) {
        case .inOrder(let lost):
            judgement.lostFixes = lost
            guard isClockBelieved(hearing, &state) else {
                reject(&judgement, .clockSkew)
                let seconds = hearing.lagMilliseconds.map { Double(0 &- $0) / 1000 }
                warn(.clockSkew, .reject, hearing, &state, &judgement, LocationWarning.Evidence(seconds: seconds))
                return false
            }
        case .late:
            // A clock that was set back, or one wild stamp before, makes all that follows look late: such a driver
            // starts over. Uploads of old fixes come faster than real time and do not agree with each other.
            guard !hearing.fix.isCached, takesNewClock(hearing, &state) else {
                judgement.verdict = .late
                judgement.fixedAt = hearing.fixedAt(state.clock)
                return false
            }
            state.order.restart(at: hearing.fix)
        case .duplicate:
            judgement.verdict = .duplicate
            judgement.fixedAt = hearing.fixedAt(state.clock)
            return false
        case .replayed:
            rejectReplay(hearing, &state, &judgement)
            return false
        }
        noteTime(&hearing, &state)
        judgement.fixedAt = hearing.fixedAt(state.clock)
        return true
    }

    private func rejectReplay(_ hearing: Hearing, _ state: inout DriverState, _ judgement: inout Judgement) {
        reject(&judgement, .sequenceReplay)
        judgement.fixedAt = hearing.fixedAt(state.clock)
        state.risk.add(settings.risk.weights.sequenceReplay, at: hearing.laneTime, settings.risk)
        warn(.sequenceReplay, .reject, hearing, &state, &judgement)
    }

    /// Whether the clock known, or one that the last fixes agree on, can show the device time of this fix.
    @inline(__always)
    private func isClockBelieved(_ hearing: Hearing, _ state: inout DriverState) -> Bool {
        guard let deviceAt = hearing.fix.deviceAt else { return true }
        if state.clock.believes(hearing.fix, deviceAt: deviceAt, receivedAt: hearing.receivedAt, settings.clock) {
            state.clock.settle()
            return true
        }
        return takesNewClock(hearing, &state)
    }

    /// Whether the last fixes agree on another clock; then it is taken on, and the vehicle's track starts over.
    private func takesNewClock(_ hearing: Hearing, _ state: inout DriverState) -> Bool {
        guard let lag = hearing.lagMilliseconds,
            state.clock.isNewClock(lagMilliseconds: lag, receivedAt: hearing.receivedAt, settings.clock)
        else { return false }
        state.clock.takeNewClock(lagMilliseconds: lag)
        state.live = DriverState.Live()
        state.jump = DriverState.Jump()
        state.window = DriverState.Window()
        return true
    }

    @inline(__always)
    private func noteTime(_ hearing: inout Hearing, _ state: inout DriverState) {
        if !state.order.isBegun {
            state.live.fixesSinceGap = 0
            // A new session may be another device.
            state.forgetHabits()
        }
        if state.order.hasDevice, let deviceAt = hearing.fix.deviceAt {
            hearing.sinceLastMilliseconds = deviceAt.milliseconds &- state.order.deviceMilliseconds
        }
        state.order.noteDeviceTime(of: hearing.fix)
        if let lag = hearing.lagMilliseconds {
            state.clock.observe(
                lagMilliseconds: lag, isCached: hearing.fix.isCached, elapsedSeconds: hearing.elapsedSeconds,
                settings.clock)
        }
        hearing.at =
            hearing.fix.deviceAt
            ?? Timestamp(milliseconds: hearing.receivedAt.milliseconds &- state.clock.known.offsetMilliseconds)
    }

    @inline(__always)
    private func isWithinRate(_ hearing: Hearing, _ state: inout DriverState, _ judgement: inout Judgement) -> Bool {
        guard settings.rate.isLimited, !hearing.fix.isCached,
            !state.rate.take(receivedAt: hearing.receivedAt, isOnTrip: hearing.fix.isOnTrip, settings.rate)
        else { return true }
        judgement.verdict = .throttled
        judgement.reasons.insert(.rateLimited)
        if hearing.accuracyMeters(settings.quality) <= settings.quality.maximumAccuracyMeters {
            hear(hearing, &state)
        }
        return false
    }

    /// Notes that the driver was heard with a usable fix; after a gap the first fixes are excused once more.
    @inline(__always)
    func hear(_ hearing: Hearing, _ state: inout DriverState) {
        if state.live.heardAt.seconds(until: hearing.at) > settings.jumps.graceGapSeconds {
            state.live.fixesSinceGap = 0
        }
        if state.live.fixesSinceGap < .max { state.live.fixesSinceGap += 1 }
        state.live.heardAt = ShortTime(hearing.at)
    }

    @inline(__always)
    private func isUsable(_ hearing: Hearing, _ state: inout DriverState, _ judgement: inout Judgement) -> Bool {
        let accuracy = hearing.accuracyMeters(settings.quality)
        guard accuracy > settings.quality.maximumAccuracyMeters else { return true }
        reject(&judgement, .lowAccuracy)
        warn(
            .lowAccuracy, .reject, hearing, &state, &judgement, LocationWarning.Evidence(accuracyMeters: accuracy))
        return false
    }

    /// Risk, marks and the warnings that go with them.
    @inline(__always)
    private func conclude(_ hearing: Hearing, _ state: inout DriverState, _ judgement: inout Judgement) {
        let risk = state.risk.probability(withoutEvidence: riskWithoutEvidence, settings.risk)
        state.risk.settleFlag(probability: risk, at: hearing.laneTime, settings.risk)
        judgement.risk = max(risk, hintedRisk(judgement.hint))
        guard state.risk.isFlagged || risk >= settings.risk.suspectRisk else { return }
        judgement.reasons.insert(state.risk.isFlagged ? .flagged : .suspect)
        var action = LocationWarning.Action.none
        if state.risk.isFlagged {
            let flaggedSeconds = state.risk.flaggedAt.seconds(until: hearing.laneTime)
            action = flaggedSeconds >= settings.risk.reviewSeconds ? .review : .flag
        }
        warn(.suspect, action, hearing, &state, &judgement)
    }

    /// The risk by the hint alone, which nothing is decided by.
    @inline(__always)
    private func hintedRisk(_ hint: Float) -> Double {
        guard hint > 0 else { return 0 }
        // exp, up to 2 % too low: only which risk is higher matters.
        let eighth = min(Double(hint), settings.risk.hints.maximum) / 8
        let root = 1 + eighth * (1 + eighth / 2)
        let square = root * root
        let odds = riskWithoutEvidence * square * square * square * square
        return odds / (1 - riskWithoutEvidence + odds)
    }

    @inline(__always)
    func reject(_ judgement: inout Judgement, _ reason: Reasons) {
        judgement.verdict = .rejected
        judgement.reasons.insert(reason)
    }

    /// Warns when `reason` starts or its action changes; of several signals of one code in one fix, once.
    @inline(__always)
    func warn(
        _ reason: Reasons, _ action: LocationWarning.Action, _ hearing: Hearing, _ state: inout DriverState,
        _ judgement: inout Judgement, _ evidence: LocationWarning.Evidence = LocationWarning.Evidence()
    ) {
        let before = state.warnings.told(reason)
        guard state.warnings.raise(reason, action, at: hearing.laneTime) else { return }
        judgement.add(LocationWarning(reason: reason, action: action, evidence: evidence, previousAction: before))
    }
}
