import Model

/// Detects a stretch that was driven before, point by point.
///
/// Equal points are evidence as far as honest vehicles in the same street would not make them: coordinates of four
/// decimals are those of the street. Keeps ``DriverState/Track/matches``; chunks are cut by ``DriverState/Track`` and
/// remembered by ``TrackMemory``.
package struct ReplayedTrackRule: SpoofRule, Equatable {
    /// Per chunk of track seen before, in log-odds, where the chunk counts in full.
    package var weight = 3.0
    /// Bits of repeated chunks in a row that prove a replay, and from which on every fix is rejected.
    ///
    /// A chunk counts as half of them at most, so one chunk alone proves nothing.
    package var bitsBeforeReject = 60

    var weights: [Double] { [weight] }

    func problems() -> [String] {
        (2...250).contains(bitsBeforeReject) ? [] : ["The bits that prove a replay are between 2 and 250."]
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        if let chunk = context.chunk { count(chunk, &context, settings) }
        guard Int(context.driver.track.matches) >= bitsBeforeReject else { return }
        context.reject(.replayedTrack)
        context.warn(.replayedTrack, .reject, LocationWarning.Evidence(fixes: context.chunk?.fixes))
    }

    private func count(_ chunk: TrackChunk, _ context: inout FixContext, _ settings: TrackingSettings) {
        guard chunk.isRepeated else {
            context.driver.track.matches = 0
            return
        }
        let full = Double(bitsBeforeReject) / 2
        let bits = min(full, chunk.bits(settings.replay))
        guard bits >= 1 else { return }
        context.driver.track.matches = UInt8(min(255, Double(context.driver.track.matches) + bits))
        context.addRisk(.repeatedTrack, weight * bits / full, settings.risk)
        context.judgement.signals.insert(.repeatedTrack)
    }
}
