/// This stretch was driven before, point by point.
///
/// Keeps ``DriverState/Track/matches``; chunks are cut by ``DriverState/Track`` and remembered by ``TrackMemory``.
package struct ReplayedTrackRule: SpoofRule, Equatable {
    /// Per chunk of track seen before, in log-odds.
    package var weight = 3.0
    /// Repeated chunks in a row that prove a replay, and from which on every fix is rejected.
    package var chunksBeforeReject = 2

    var weights: [Double] { [weight] }

    func problems() -> [String] {
        (1...200).contains(chunksBeforeReject) ? [] : ["Between 1 and 200 chunks of track prove a replay."]
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        if let chunk = context.chunk { count(chunk, &context, settings) }
        let matches = Int(context.driver.track.matches)
        guard matches >= chunksBeforeReject else { return }
        context.reject(.replayedTrack)
        context.warn(
            .replayedTrack, .reject, LocationWarning.Evidence(fixes: matches * settings.replay.minimumChunkFixes))
    }

    @inline(__always)
    private func count(_ chunk: TrackChunk, _ context: inout FixContext, _ settings: TrackingSettings) {
        guard chunk.isRepeated else {
            context.driver.track.matches = 0
            return
        }
        if context.driver.track.matches < .max { context.driver.track.matches += 1 }
        context.addRisk(.repeatedTrack, weight, settings.risk)
        context.judgement.signals.insert(.repeatedTrack)
    }
}
