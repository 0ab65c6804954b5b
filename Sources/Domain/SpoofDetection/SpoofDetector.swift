import Support

/// Evaluation of drivers' fixes in a fixed order of checks, and filtering of accepted positions.
///
/// The same fixes with the same times give identical results, also from a state that was stored and restored.
package struct SpoofDetector: Sendable {
    package let settings: TrackingSettings
    let filter: KinematicFilter
    private let riskWithoutEvidence: Double

    package init(settings: TrackingSettings = TrackingSettings()) {
        precondition(settings.problems().isEmpty, "TrackingSettings must be valid.")
        self.settings = settings
        filter = KinematicFilter(settings: settings.smoothing)
        riskWithoutEvidence = DriverState.Risk().probability(settings.risk)
    }

    /// Evaluates one fix of the partition's driver number `driver`.
    ///
    /// `receivedAt` is the receipt time, `streamTime` the newest receipt time so far. `partitionTime` is the
    /// partition's stream time, for memories shared by drivers, if it did not advance to `receivedAt`; it never goes
    /// back.
    package func evaluate(
        _ fix: Fix, receivedAt: Timestamp, streamTime: Timestamp, partitionTime: Timestamp? = nil, driver: Int,
        state: inout DriverState, tracks: inout TrackMemory, disturbances: inout DisturbanceMemory
    ) -> VerdictResult {
        let context = evaluateContext(
            fix, receivedAt: receivedAt, streamTime: streamTime, partitionTime: partitionTime, driver: driver,
            state: state, tracks: &tracks, disturbances: &disturbances)
        state = context.driver
        return context.result
    }

    /// Evaluates one fix and returns all intermediate results.
    @inline(__always) func evaluateContext(
        _ fix: Fix, receivedAt: Timestamp, streamTime: Timestamp, partitionTime: Timestamp? = nil, driver: Int,
        state: DriverState, tracks: inout TrackMemory, disturbances: inout DisturbanceMemory
    ) -> FixContext {
        var context = FixContext(
            fix: fix, receivedAt: receivedAt, streamTime: streamTime, partitionTime: partitionTime,
            driver: state)
        let silence = streamTime.seconds(since: state.seenAt)
        // Negative if the last fix was evaluated with a receipt ahead of stream time that turned out to be wrong.
        if state.isKnown, silence > settings.memorySeconds || silence < 0 {
            resolve(context.driver.warnings.expireAll(), &context)
            context.driver = context.driver.retainedState(at: streamTime, settings)
        }
        let presence = DriverState.Presence(context.driver)
        context.driver.isKnown = true
        context.driver.seenAt = streamTime
        context.driver.decayEvidence(until: streamTime, settings.risk)
        resolve(context.driver.warnings.expire(until: streamTime), &context)
        if isInOrder(&context), isWithinRate(&context) {
            revokeEvidence(&context, driver, &disturbances)
            let isUsable = isUsable(&context)
            applyRules(&context, isUsable: isUsable, &tracks)
            attributeEvidence(&context, driver, from: presence.point, &disturbances)
            throttleOffTrip(&context)
        }
        disturbances.recordActivity(before: presence, after: DriverState.Presence(context.driver))
        finalizeRisk(&context)
        return context
    }

    /// Evaluates one fix without comparing the driver with others in its area.
    package func evaluate(
        _ fix: Fix, receivedAt: Timestamp, streamTime: Timestamp, state: inout DriverState, tracks: inout TrackMemory
    ) -> VerdictResult {
        var disturbances = DisturbanceMemory.none
        return evaluate(
            fix, receivedAt: receivedAt, streamTime: streamTime, driver: 0, state: &state, tracks: &tracks,
            disturbances: &disturbances)
    }

    /// Rejects a fix whose receipt time is unknown, without changing the driver's state.
    package func rejectUnknownReceipt(at streamTime: Timestamp, state: DriverState) -> VerdictResult {
        let risk = state.risk.probability(settings.risk)
        var result = VerdictResult(verdict: .rejected, reasons: .clockSkew, risk: risk, fixedAt: streamTime)
        result.riskSignals = state.signals(explaining: risk, settings.risk)
        if state.risk.isFlagged {
            result.reasons.insert(.flagged)
        } else if risk >= settings.risk.suspectRisk {
            result.reasons.insert(.suspect)
        }
        return result
    }

    /// Checks position, order and clock; returns whether the fix is the newest of its driver with a plausible time.
    @inline(__always) private func isInOrder(_ context: inout FixContext) -> Bool {
        guard context.isOnEarth else {
            // Marks the sequence number as seen, so that it is not reported as a lost fix.
            if context.fix.sequence != nil { _ = context.driver.order.classify(context.fix, settings.order) }
            context.reject(.nullIsland)
            context.warn(.nullIsland, .reject)
            return false
        }
        let rejected = context.driver.order.lowerNumberedFixes
        switch context.driver.order.classify(context.fix, settings.order) {
        case .inOrder(let lost):
            context.result.lostFixes = lost
            if rejected > 0, !context.driver.order.isBegun {
                // Apparent repetitions were a new numbering.
                let added = Double(rejected) * settings.order.replayWeight
                context.driver.removeEvidence(
                    .sequenceReplay, min(added, context.driver.topSignals.weight(of: .sequenceReplay)))
            }
            guard isDeviceTimePlausible(&context) else {
                context.reject(.clockSkew)
                let seconds = context.lagMilliseconds.map { Double(0 &- $0) / 1000 }
                context.warn(.clockSkew, .reject, LocationWarning.Evidence(seconds: seconds))
                return false
            }
        case .late:
            // After a clock was set back, or after one wrong timestamp, all later fixes seem late; such a driver
            // starts over. Uploads of old fixes arrive faster than real time and do not agree on an offset.
            guard !context.fix.isCached, adoptsNewClock(&context) else {
                context.result.verdict = .late
                context.result.fixedAt = context.fixedAt
                return false
            }
            context.driver.order.restart(at: context.fix)
        case .duplicate:
            context.result.verdict = .duplicate
            context.result.fixedAt = context.fixedAt
            return false
        case .replayed:
            rejectReplay(&context)
            return false
        }
        recordTime(&context)
        context.result.fixedAt = context.fixedAt
        return true
    }

    private func rejectReplay(_ context: inout FixContext) {
        context.reject(.sequenceReplay)
        context.result.fixedAt = context.fixedAt
        context.addProof(.sequenceReplay, settings.order.replayWeight, settings.risk)
        context.warn(.sequenceReplay, .reject)
    }

    /// Returns whether the device time fits the clock offset, or a new offset on which recent fixes agree.
    @inline(__always) private func isDeviceTimePlausible(_ context: inout FixContext) -> Bool {
        guard let deviceAt = context.fix.deviceAt else { return true }
        let receivedAt = context.receivedAt
        if context.driver.clock.accepts(context.fix, deviceAt: deviceAt, receivedAt: receivedAt, settings.clock) {
            context.driver.clock.discardCandidate()
            return true
        }
        return adoptsNewClock(&context)
    }

    /// Adopts a new clock offset if recent fixes agree on it, and restarts the track.
    private func adoptsNewClock(_ context: inout FixContext) -> Bool {
        guard let lag = context.lagMilliseconds,
            context.driver.clock.confirmsCandidate(lagMilliseconds: lag, receivedAt: context.receivedAt, settings.clock)
        else { return false }
        context.driver.clock.adoptOffset(lagMilliseconds: lag)
        context.driver.lastAccepted = DriverState.LastAcceptedFix()
        context.driver.jump = DriverState.Jump()
        context.driver.window = DriverState.Window()
        return true
    }

    @inline(__always) private func recordTime(_ context: inout FixContext) {
        if !context.driver.order.isBegun {
            context.driver.lastAccepted.fixesSinceGap = 0
            // A new session may be another device.
            context.driver.forgetHabits()
        }
        if context.driver.order.hasDevice, let deviceAt = context.fix.deviceAt {
            context.sinceLastMilliseconds = deviceAt.milliseconds &- context.driver.order.deviceMilliseconds
        }
        context.driver.order.recordDeviceTime(of: context.fix)
        // A frozen device time gives no offset.
        if let lag = context.lagMilliseconds, context.sinceLastMilliseconds.map({ $0 > 0 }) ?? true {
            context.driver.clock.observe(
                lagMilliseconds: lag, isCached: context.fix.isCached, receivedAt: context.receivedAt, settings.clock)
        }
        context.at =
            context.fix.deviceAt
            ?? Timestamp(milliseconds: context.receivedAt.milliseconds &- context.driver.clock.known.offsetMilliseconds)
    }

    /// Applies the rate limits; returns whether to evaluate the fix, which may be over the off-trip limit.
    @inline(__always) private func isWithinRate(_ context: inout FixContext) -> Bool {
        guard settings.rate.isLimited, !context.fix.isCached else { return true }
        let allowance = context.driver.rate.acquire(
            receivedAt: context.receivedAt, isOnTrip: context.fix.isOnTrip, settings.rate)
        context.exceedsOffTripRate = allowance == .overOffTripLimit
        guard allowance == .overLimit else { return true }
        context.result.verdict = .throttled
        context.result.reasons.insert(.rateLimited)
        context.warn(.rateLimited, .none)
        if context.accuracyMeters(settings.quality) <= settings.quality.maximumAccuracyMeters {
            recordUsableFix(&context)
        }
        return false
    }

    @inline(__always) private func isUsable(_ context: inout FixContext) -> Bool {
        let accuracy = context.accuracyMeters(settings.quality)
        guard accuracy > settings.quality.maximumAccuracyMeters else { return true }
        context.reject(.lowAccuracy)
        let stated = context.fix.hasInvalidPosition ? nil : accuracy
        context.warn(.lowAccuracy, .reject, LocationWarning.Evidence(accuracyMeters: stated))
        return false
    }

    /// Marks an accepted fix as throttled if it exceeds the off-trip rate.
    @inline(__always) private func throttleOffTrip(_ context: inout FixContext) {
        guard context.exceedsOffTripRate, context.result.verdict == .accepted else { return }
        context.result.verdict = .throttled
        context.result.reasons.insert(.rateLimited)
    }

    /// Sets the risk and the flag, and raises their warning.
    @inline(__always) private func finalizeRisk(_ context: inout FixContext) {
        let risk = context.driver.risk.probability(withoutEvidence: riskWithoutEvidence, settings.risk)
        context.driver.risk.updateFlag(probability: risk, at: context.streamTime, settings.risk)
        context.result.risk = max(risk, hintedRisk(context.evidence.hint))
        if context.driver.topSignals.signals != 0 { explain(&context, risk) }
        guard context.driver.risk.isFlagged || risk >= settings.risk.suspectRisk else { return }
        context.result.reasons.insert(context.driver.risk.isFlagged ? .flagged : .suspect)
        var action = LocationWarning.Action.none
        if context.driver.risk.isFlagged {
            let flaggedSeconds = context.driver.risk.flaggedAt.seconds(until: context.streamTime)
            action = flaggedSeconds >= settings.risk.reviewSeconds ? .review : .flag
        }
        context.warn(.suspect, action)
    }

    /// Sets the signals behind the risk; resets them once there is no evidence.
    private func explain(_ context: inout FixContext, _ risk: Double) {
        if context.driver.risk.evidence == 0, context.driver.risk.ambiguousEvidence == 0 {
            context.driver.topSignals = DriverState.TopSignals()
        }
        context.result.riskSignals = context.driver.signals(explaining: risk, settings.risk)
    }

    /// Returns the risk from the hint alone, which triggers no decision.
    @inline(__always) private func hintedRisk(_ hint: Float) -> Double {
        guard hint > 0 else { return 0 }
        // exp as the eighth power of a series, up to 2 % too low, because only the order of risks matters.
        let eighth = min(Double(hint), settings.risk.maximumHint) / 8
        let root = 1 + eighth * (1 + eighth / 2)
        let square = root * root
        let odds = riskWithoutEvidence * square * square * square * square
        return odds / (1 - riskWithoutEvidence + odds)
    }
}
