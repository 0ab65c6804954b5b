/// Rule that detects a stretch that was driven before, point by point; keeps ``DriverState/Track/repeatedBits``.
///
/// The less likely honest vehicles in the same street produce equal points, the more these points count.
package struct ReplayedTrackRule: SpoofRule, Equatable {
    /// Weight per repeated chunk that counts in full, in log-odds.
    package var weight = 3.0
    /// Bits of consecutive repeated chunks from which every fix is rejected; one chunk counts up to half.
    package var bitsBeforeReject = 60

    func problems() -> [String] { settingProblems(of: self, .within(2...250, \.bitsBeforeReject)) }

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        if let chunk = context.chunk { count(chunk, &context, settings) }
        guard Int(context.driver.track.repeatedBits) >= bitsBeforeReject else { return }
        context.reject(.replayedTrack)
        context.warn(.replayedTrack, .reject, LocationWarning.Evidence(fixes: context.chunk?.fixes))
    }

    private func count(_ chunk: TrackChunk, _ context: inout FixContext, _ settings: TrackingSettings) {
        guard chunk.isRepeated else {
            context.driver.track.repeatedBits = 0
            return
        }
        let full = Double(bitsBeforeReject) / 2
        let bits = min(full, chunk.bits(settings.replay))
        guard bits >= 1 else { return }
        context.driver.track.repeatedBits = UInt8(min(255, Double(context.driver.track.repeatedBits) + bits))
        context.addRisk(.repeatedTrack, weight * bits / full, settings.risk)
        context.result.signals.insert(.repeatedTrack)
    }
}
