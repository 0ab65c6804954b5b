import Model
import Smoothing
import Support

/// Answers every fix of a driver with one verdict, in a fixed order of checks, and moves the filter when it believes
/// it.
///
/// A judge holds settings only. The same fixes with the same receipt and stream times give the same judgements, bit for
/// bit, from any state that was restored on the way.
package struct SpoofDetector: Sendable {
    package let settings: TrackingSettings
    let filter: KinematicFilter
    /// Risk of a driver without any signal.
    private let riskWithoutEvidence: Double

    package init(settings: TrackingSettings = TrackingSettings()) {
        precondition(settings.problems().isEmpty, "Tracking settings are checked before they are used.")
        self.settings = settings
        filter = KinematicFilter(settings: settings.smoothing)
        riskWithoutEvidence = DriverState.Risk().probability(settings.risk)
    }

    /// Judges one fix.
    ///
    /// `receivedAt` is the record's timestamp, `streamTime` the newest of the partition so far (at least `receivedAt`
    /// in a partition that is read in order). `partitionTime` is that of the memories that drivers share, where the
    /// partition has not followed the driver's receipt; it never goes back. A chunk of track that `VerdictResult.completedTrackChunk` reports has been
    /// remembered in `tracks` already.
    ///
    /// `driver` tells apart the drivers of the partition, whose ``DisturbanceMemory`` excuses those who go wrong
    /// together.
    package func judge(
        _ fix: Fix, receivedAt: Timestamp, streamTime: Timestamp, partitionTime: Timestamp? = nil, driver: Int,
        state: inout DriverState, tracks: inout TrackMemory, disturbances: inout DisturbanceMemory
    ) -> VerdictResult {
        let context = examined(
            fix, receivedAt: receivedAt, streamTime: streamTime, partitionTime: partitionTime, driver: driver,
            state: state, tracks: &tracks, disturbances: &disturbances)
        state = context.driver
        return context.judgement
    }

    /// All that was found of one fix; see ``judge(_:receivedAt:streamTime:partitionTime:driver:state:tracks:disturbances:)``.
    @inline(__always)
    func examined(
        _ fix: Fix, receivedAt: Timestamp, streamTime: Timestamp, partitionTime: Timestamp? = nil, driver: Int,
        state: DriverState, tracks: inout TrackMemory, disturbances: inout DisturbanceMemory
    ) -> FixContext {
        var context = FixContext(
            fix: fix, receivedAt: receivedAt, streamTime: streamTime, partitionTime: partitionTime,
            driver: state)
        let silence = streamTime.seconds(since: state.seenAt)
        // Less than none: the driver was judged by a receipt ahead that turned out to be wrong.
        if state.isKnown, silence > settings.memorySeconds || silence < 0 {
            resolve(context.driver.warnings.end(), &context)
            context.driver = context.driver.rest(at: streamTime, settings)
        }
        let presence = DriverState.Presence(context.driver)
        context.driver.isKnown = true
        context.driver.seenAt = streamTime
        context.driver.fadeEvidence(until: streamTime, settings.risk)
        resolve(context.driver.warnings.fade(until: streamTime), &context)
        if isInOrder(&context), isWithinRate(&context) {
            reconsider(&context, driver, &disturbances)
            let isUsable = isUsable(&context)
            examine(&context, isUsable: isUsable, &tracks)
            decide(&context, driver, from: presence.point, &disturbances)
            holdBack(&context)
        }
        disturbances.noteActivity(before: presence, after: DriverState.Presence(context.driver))
        conclude(&context)
        return context
    }

    /// Judges one fix of a driver on its own, whom no other drivers of an area excuse.
    package func judge(
        _ fix: Fix, receivedAt: Timestamp, streamTime: Timestamp, state: inout DriverState, tracks: inout TrackMemory
    ) -> VerdictResult {
        var disturbances = DisturbanceMemory.none
        return judge(
            fix, receivedAt: receivedAt, streamTime: streamTime, driver: 0, state: &state, tracks: &tracks,
            disturbances: &disturbances)
    }

    /// Shape, order and clock: whether the fix is the newest of its driver, with a time that can be.
    @inline(__always)
    private func isInOrder(_ context: inout FixContext) -> Bool {
        guard context.isOnEarth else {
            // Its sequence number counts as seen, or it would pass for a lost fix.
            if context.fix.sequence != nil { _ = context.driver.order.place(context.fix, settings.order) }
            context.reject(.nullIsland)
            context.warn(.nullIsland, .reject)
            return false
        }
        let rejected = context.driver.order.lowerNumberedFixes
        switch context.driver.order.place(context.fix, settings.order) {
        case .inOrder(let lost):
            context.judgement.lostFixes = lost
            if rejected > 0, !context.driver.order.isBegun {
                // What looked like repetitions was a new numbering.
                let added = Double(rejected) * settings.order.replayWeight
                context.driver.withdraw(.sequenceReplay, min(added, context.driver.causes.left(of: .sequenceReplay)))
            }
            guard isClockBelieved(&context) else {
                context.reject(.clockSkew)
                let seconds = context.lagMilliseconds.map { Double(0 &- $0) / 1000 }
                context.warn(.clockSkew, .reject, LocationWarning.Evidence(seconds: seconds))
                return false
            }
        case .late:
            // A clock that was set back, or one wild stamp before, makes all that follows look late: such a driver
            // starts over. Uploads of old fixes come faster than real time and do not agree with each other.
            guard !context.fix.isCached, takesNewClock(&context) else {
                context.judgement.verdict = .late
                context.judgement.fixedAt = context.fixedAt
                return false
            }
            context.driver.order.restart(at: context.fix)
        case .duplicate:
            context.judgement.verdict = .duplicate
            context.judgement.fixedAt = context.fixedAt
            return false
        case .replayed:
            rejectReplay(&context)
            return false
        }
        noteTime(&context)
        context.judgement.fixedAt = context.fixedAt
        return true
    }

    private func rejectReplay(_ context: inout FixContext) {
        context.reject(.sequenceReplay)
        context.judgement.fixedAt = context.fixedAt
        context.addProof(.sequenceReplay, settings.order.replayWeight, settings.risk)
        context.warn(.sequenceReplay, .reject)
    }

    /// Whether the clock known, or one that the last fixes agree on, can show the device time of this fix.
    @inline(__always)
    private func isClockBelieved(_ context: inout FixContext) -> Bool {
        guard let deviceAt = context.fix.deviceAt else { return true }
        let receivedAt = context.receivedAt
        if context.driver.clock.believes(context.fix, deviceAt: deviceAt, receivedAt: receivedAt, settings.clock) {
            context.driver.clock.settle()
            return true
        }
        return takesNewClock(&context)
    }

    /// Whether the last fixes agree on another clock; then it is taken on, and the vehicle's track starts over.
    private func takesNewClock(_ context: inout FixContext) -> Bool {
        guard let lag = context.lagMilliseconds,
            context.driver.clock.isNewClock(lagMilliseconds: lag, receivedAt: context.receivedAt, settings.clock)
        else { return false }
        context.driver.clock.takeNewClock(lagMilliseconds: lag)
        context.driver.live = DriverState.Live()
        context.driver.jump = DriverState.Jump()
        context.driver.window = DriverState.Window()
        return true
    }

    @inline(__always)
    private func noteTime(_ context: inout FixContext) {
        if !context.driver.order.isBegun {
            context.driver.live.fixesSinceGap = 0
            // A new session may be another device.
            context.driver.forgetHabits()
        }
        if context.driver.order.hasDevice, let deviceAt = context.fix.deviceAt {
            context.sinceLastMilliseconds = deviceAt.milliseconds &- context.driver.order.deviceMilliseconds
        }
        context.driver.order.noteDeviceTime(of: context.fix)
        // A device time that stands still tells nothing of the clock, and the fix grows old.
        if let lag = context.lagMilliseconds, context.sinceLastMilliseconds.map({ $0 > 0 }) ?? true {
            context.driver.clock.observe(
                lagMilliseconds: lag, isCached: context.fix.isCached, receivedAt: context.receivedAt, settings.clock)
        }
        context.at =
            context.fix.deviceAt
            ?? Timestamp(milliseconds: context.receivedAt.milliseconds &- context.driver.clock.known.offsetMilliseconds)
    }

    /// Whether the fix is judged.
    ///
    /// One that names no trip may be beyond the rate off a trip: the driver may be on one that only the pipeline knows
    /// of, so such a fix is judged, and held back in the end.
    @inline(__always)
    private func isWithinRate(_ context: inout FixContext) -> Bool {
        guard settings.rate.isLimited, !context.fix.isCached else { return true }
        let allowance = context.driver.rate.take(
            receivedAt: context.receivedAt, isOnTrip: context.fix.isOnTrip, settings.rate)
        context.isHeldBack = allowance == .heldBack
        guard allowance == .refused else { return true }
        context.judgement.verdict = .throttled
        context.judgement.reasons.insert(.rateLimited)
        context.warn(.rateLimited, .none)
        if context.accuracyMeters(settings.quality) <= settings.quality.maximumAccuracyMeters {
            hear(&context)
        }
        return false
    }

    @inline(__always)
    private func isUsable(_ context: inout FixContext) -> Bool {
        let accuracy = context.accuracyMeters(settings.quality)
        guard accuracy > settings.quality.maximumAccuracyMeters else { return true }
        context.reject(.lowAccuracy)
        let stated = context.fix.hasInvalidPosition ? nil : accuracy
        context.warn(.lowAccuracy, .reject, LocationWarning.Evidence(accuracyMeters: stated))
        return false
    }

    /// Marks a fix that is believed, and beyond the driver's rate off a trip.
    @inline(__always)
    private func holdBack(_ context: inout FixContext) {
        guard context.isHeldBack, context.judgement.verdict == .accepted else { return }
        context.judgement.verdict = .throttled
        context.judgement.reasons.insert(.rateLimited)
    }

    /// Risk, marks and the warnings that go with them.
    @inline(__always)
    private func conclude(_ context: inout FixContext) {
        let risk = context.driver.risk.probability(withoutEvidence: riskWithoutEvidence, settings.risk)
        context.driver.risk.settleFlag(probability: risk, at: context.streamTime, settings.risk)
        context.judgement.risk = max(risk, hintedRisk(context.evidence.hint))
        if context.driver.causes.signals != 0 { explain(&context, risk) }
        guard context.driver.risk.isFlagged || risk >= settings.risk.suspectRisk else { return }
        context.judgement.reasons.insert(context.driver.risk.isFlagged ? .flagged : .suspect)
        var action = LocationWarning.Action.none
        if context.driver.risk.isFlagged {
            let flaggedSeconds = context.driver.risk.flaggedAt.seconds(until: context.streamTime)
            action = flaggedSeconds >= settings.risk.reviewSeconds ? .review : .flag
        }
        context.warn(.suspect, action)
    }

    /// Names the signals behind the risk, and forgets them once there is none.
    private func explain(_ context: inout FixContext, _ risk: Double) {
        if context.driver.risk.evidence == 0, context.driver.risk.sky == 0 {
            context.driver.causes = DriverState.Causes()
        }
        context.judgement.riskSignals = context.driver.signals(explaining: risk, settings.risk)
    }

    /// The risk by the hint alone, which nothing is decided by.
    @inline(__always)
    private func hintedRisk(_ hint: Float) -> Double {
        guard hint > 0 else { return 0 }
        // exp as the eighth power of a series, up to 2 % too low: only which risk is higher matters.
        let eighth = min(Double(hint), settings.risk.maximumHint) / 8
        let root = 1 + eighth * (1 + eighth / 2)
        let square = root * root
        let odds = riskWithoutEvidence * square * square * square * square
        return odds / (1 - riskWithoutEvidence + odds)
    }
}
