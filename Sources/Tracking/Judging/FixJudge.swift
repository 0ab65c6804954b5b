import Glibc

/// Answers every fix of a driver with one verdict, in a fixed order of checks, and moves the filter when it believes
/// it.
///
/// A judge holds settings only. The same fixes with the same receipt and stream times give the same judgements, bit for
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
    /// `receivedAt` is the record's timestamp, `streamTime` the newest of the partition so far (at least `receivedAt`
    /// in a partition that is read in order). A chunk of track that `Judgement.completedTrackChunk` reports has been
    /// remembered in `tracks` already.
    ///
    /// `driver` tells apart the drivers of the partition, whose ``DisturbanceMemory`` excuses those who go wrong
    /// together.
    package func judge(
        _ fix: Fix, receivedAt: Timestamp, streamTime: Timestamp, driver: Int, state: inout DriverState,
        tracks: inout TrackMemory, disturbances: inout DisturbanceMemory
    ) -> Judgement {
        if state.isKnown, streamTime.seconds(since: state.seenAt) > settings.memorySeconds { state = DriverState() }
        var context = FixContext(fix: fix, receivedAt: receivedAt, streamTime: streamTime)
        let presence = DriverState.Presence(state)
        context.elapsedSeconds = state.isKnown ? max(0, streamTime.seconds(since: state.seenAt)) : 0
        state.isKnown = true
        state.seenAt = streamTime
        state.risk.fade(until: streamTime, settings.risk)
        state.warnings.fade(until: streamTime)

        var judgement = Judgement(verdict: .accepted, fixedAt: receivedAt)
        if isInOrder(&context, &state, &judgement), isWithinRate(context, &state, &judgement) {
            reconsider(&context, driver, &state, &disturbances, &judgement)
            let usable = isUsable(context, &state, &judgement)
            examine(context, isUsable: usable, &state, &tracks, &judgement)
            decide(context, driver, from: presence.point, &state, &disturbances, &judgement)
        }
        disturbances.noteActivity(before: presence, after: DriverState.Presence(state))
        conclude(context, &state, &judgement)
        return judgement
    }

    /// Judges one fix of a driver on its own, whom no other drivers of an area excuse.
    package func judge(
        _ fix: Fix, receivedAt: Timestamp, streamTime: Timestamp, state: inout DriverState, tracks: inout TrackMemory
    ) -> Judgement {
        var disturbances = DisturbanceMemory.none
        return judge(
            fix, receivedAt: receivedAt, streamTime: streamTime, driver: 0, state: &state, tracks: &tracks,
            disturbances: &disturbances)
    }

    /// Shape, order and clock: whether the fix is the newest of its driver, with a time that can be.
    @inline(__always)
    private func isInOrder(_ context: inout FixContext, _ state: inout DriverState, _ judgement: inout Judgement)
        -> Bool
    {
        guard context.isOnEarth else {
            // Its sequence number counts as seen, or it would pass for a lost fix.
            if context.fix.sequence != nil { _ = state.order.place(context.fix, settings.order) }
            reject(&judgement, .nullIsland)
            warn(.nullIsland, .reject, context, &state, &judgement)
            return false
        }
        switch state.order.place(context.fix, settings.order) {
        case .inOrder(let lost):
            judgement.lostFixes = lost
            guard isClockBelieved(context, &state) else {
                reject(&judgement, .clockSkew)
                let seconds = context.lagMilliseconds.map { Double(0 &- $0) / 1000 }
                warn(.clockSkew, .reject, context, &state, &judgement, LocationWarning.Evidence(seconds: seconds))
                return false
            }
        case .late:
            // A clock that was set back, or one wild stamp before, makes all that follows look late: such a driver
            // starts over. Uploads of old fixes come faster than real time and do not agree with each other.
            guard !context.fix.isCached, takesNewClock(context, &state) else {
                judgement.verdict = .late
                judgement.fixedAt = context.fixedAt(state.clock)
                return false
            }
            state.order.restart(at: context.fix)
        case .duplicate:
            judgement.verdict = .duplicate
            judgement.fixedAt = context.fixedAt(state.clock)
            return false
        case .replayed:
            rejectReplay(context, &state, &judgement)
            return false
        }
        noteTime(&context, &state)
        judgement.fixedAt = context.fixedAt(state.clock)
        return true
    }

    private func rejectReplay(_ context: FixContext, _ state: inout DriverState, _ judgement: inout Judgement) {
        reject(&judgement, .sequenceReplay)
        judgement.fixedAt = context.fixedAt(state.clock)
        state.risk.add(settings.risk.weights.sequenceReplay, at: context.streamTime, settings.risk)
        warn(.sequenceReplay, .reject, context, &state, &judgement)
    }

    /// Whether the clock known, or one that the last fixes agree on, can show the device time of this fix.
    @inline(__always)
    private func isClockBelieved(_ context: FixContext, _ state: inout DriverState) -> Bool {
        guard let deviceAt = context.fix.deviceAt else { return true }
        if state.clock.believes(context.fix, deviceAt: deviceAt, receivedAt: context.receivedAt, settings.clock) {
            state.clock.settle()
            return true
        }
        return takesNewClock(context, &state)
    }

    /// Whether the last fixes agree on another clock; then it is taken on, and the vehicle's track starts over.
    private func takesNewClock(_ context: FixContext, _ state: inout DriverState) -> Bool {
        guard let lag = context.lagMilliseconds,
            state.clock.isNewClock(lagMilliseconds: lag, receivedAt: context.receivedAt, settings.clock)
        else { return false }
        state.clock.takeNewClock(lagMilliseconds: lag)
        state.live = DriverState.Live()
        state.jump = DriverState.Jump()
        state.window = DriverState.Window()
        return true
    }

    @inline(__always)
    private func noteTime(_ context: inout FixContext, _ state: inout DriverState) {
        if !state.order.isBegun {
            state.live.fixesSinceGap = 0
            // A new session may be another device.
            state.forgetHabits()
        }
        if state.order.hasDevice, let deviceAt = context.fix.deviceAt {
            context.sinceLastMilliseconds = deviceAt.milliseconds &- state.order.deviceMilliseconds
        }
        state.order.noteDeviceTime(of: context.fix)
        if let lag = context.lagMilliseconds {
            state.clock.observe(
                lagMilliseconds: lag, isCached: context.fix.isCached, elapsedSeconds: context.elapsedSeconds,
                settings.clock)
        }
        context.at =
            context.fix.deviceAt
            ?? Timestamp(milliseconds: context.receivedAt.milliseconds &- state.clock.known.offsetMilliseconds)
    }

    @inline(__always)
    private func isWithinRate(_ context: FixContext, _ state: inout DriverState, _ judgement: inout Judgement) -> Bool {
        guard settings.rate.isLimited, !context.fix.isCached,
            !state.rate.take(receivedAt: context.receivedAt, isOnTrip: context.fix.isOnTrip, settings.rate)
        else { return true }
        judgement.verdict = .throttled
        judgement.reasons.insert(.rateLimited)
        if context.accuracyMeters(settings.quality) <= settings.quality.maximumAccuracyMeters {
            hear(context, &state)
        }
        return false
    }

    /// Notes that the driver was heard with a usable fix; after a gap the first fixes are excused once more.
    @inline(__always)
    func hear(_ context: FixContext, _ state: inout DriverState) {
        if state.live.heardAt.seconds(until: context.at) > settings.jumps.graceGapSeconds {
            state.live.fixesSinceGap = 0
        }
        if state.live.fixesSinceGap < .max { state.live.fixesSinceGap += 1 }
        state.live.heardAt = ShortTime(context.at)
    }

    @inline(__always)
    private func isUsable(_ context: FixContext, _ state: inout DriverState, _ judgement: inout Judgement) -> Bool {
        let accuracy = context.accuracyMeters(settings.quality)
        guard accuracy > settings.quality.maximumAccuracyMeters else { return true }
        reject(&judgement, .lowAccuracy)
        warn(
            .lowAccuracy, .reject, context, &state, &judgement, LocationWarning.Evidence(accuracyMeters: accuracy))
        return false
    }

    /// Risk, marks and the warnings that go with them.
    @inline(__always)
    private func conclude(_ context: FixContext, _ state: inout DriverState, _ judgement: inout Judgement) {
        let risk = state.risk.probability(withoutEvidence: riskWithoutEvidence, settings.risk)
        state.risk.settleFlag(probability: risk, at: context.streamTime, settings.risk)
        judgement.risk = max(risk, hintedRisk(judgement.hint))
        guard state.risk.isFlagged || risk >= settings.risk.suspectRisk else { return }
        judgement.reasons.insert(state.risk.isFlagged ? .flagged : .suspect)
        var action = LocationWarning.Action.none
        if state.risk.isFlagged {
            let flaggedSeconds = state.risk.flaggedAt.seconds(until: context.streamTime)
            action = flaggedSeconds >= settings.risk.reviewSeconds ? .review : .flag
        }
        warn(.suspect, action, context, &state, &judgement)
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
        _ reason: Reasons, _ action: LocationWarning.Action, _ context: FixContext, _ state: inout DriverState,
        _ judgement: inout Judgement, _ evidence: LocationWarning.Evidence = LocationWarning.Evidence()
    ) {
        let before = state.warnings.told(reason)
        guard state.warnings.raise(reason, action, at: context.streamTime) else { return }
        judgement.add(LocationWarning(reason: reason, action: action, evidence: evidence, previousAction: before))
    }
}
