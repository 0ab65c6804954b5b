import TestSupport
import Testing

@testable import Domain
@testable import Evaluation

@Suite struct ReplayTests {
    /// Returns a drive in town with receiver noise.
    private static func track(seed: UInt64) -> [Fix] {
        SimulatedReceiver.fixes(along: SimulatedDrive(seed: seed, seconds: 600), sigmaMeters: 4, seed: seed + 1)
    }

    /// Evaluates `fixes` from second `start` on, one a second, with a fresh state.
    private func evaluate(
        _ fixes: some Collection<Fix>, from start: Double, tracks: inout TrackMemory,
        settings: TrackingSettings = .unlimited
    ) -> [VerdictResult] {
        let detector = SpoofDetector(settings: settings)
        var state = DriverState()
        return fixes.enumerated().map { index, original in
            var fix = original
            let at = TestDriver.start.advanced(bySeconds: start + Double(index))
            fix.deviceAt = at
            return detector.evaluate(fix, receivedAt: at, streamTime: at, state: &state, tracks: &tracks)
        }
    }

    @Test("a replayed track is rejected within five minutes, wherever the replay begins", arguments: 0..<20)
    func replay(case number: Int) {
        let fixes = Self.track(seed: UInt64(number))
        var tracks = TrackMemory()
        let original = evaluate(fixes, from: 0, tracks: &tracks)
        #expect(original.allSatisfy { !$0.reasons.contains(.replayedTrack) })
        let offset = number * 13
        let replay = evaluate(fixes.dropFirst(offset), from: 1000, tracks: &tracks)
        let detectedAt = replay.firstIndex { $0.reasons.contains(.replayedTrack) }
        #expect(detectedAt.map { $0 < 300 } ?? false, "seed \(number), offset \(offset): \(detectedAt ?? -1)")
        #expect(replay.suffix(100).allSatisfy { $0.verdict == .rejected }, "seed \(number)")
        #expect(replay.allSatisfy { $0.completedTrackChunk == nil } || offset > 0)
    }

    @Test("the same streets driven again are not a replay")
    func sameStreets() {
        let drive = SimulatedDrive(seed: 1, seconds: 1200)
        var tracks = TrackMemory()
        for day in UInt64(0)..<5 {
            let fixes = SimulatedReceiver.fixes(along: drive, sigmaMeters: 4, seed: day)
            let results = evaluate(fixes, from: Double(day) * 5000, tracks: &tracks)
            #expect(results.allSatisfy { !$0.reasons.contains(.replayedTrack) && $0.risk < 0.12 }, "seed \(day)")
        }
    }

    @Test(
        "a repetition within a minute, as from two connections of one phone, is not a replay",
        arguments: [(59, false), (60, true)])
    func age(delay: Int, isReplay: Bool) {
        let fixes = Self.track(seed: 3)
        let detector = SpoofDetector(settings: .unlimited)
        var tracks = TrackMemory()
        var states = [DriverState(), DriverState()]
        var reasons: Reasons = []
        for second in 0..<fixes.count + delay {
            let at = TestDriver.start.advanced(bySeconds: Double(second))
            for (driver, index) in [second, second - delay].enumerated() where fixes.indices.contains(index) {
                var fix = fixes[index]
                fix.deviceAt = at
                let result = detector.evaluate(
                    fix, receivedAt: at, streamTime: at, state: &states[driver], tracks: &tracks)
                reasons.formUnion(result.reasons)
            }
        }
        #expect(reasons.contains(.replayedTrack) == isReplay)
    }

    @Test("a parked vehicle with noise and repeated positions completes no chunk")
    func parked() {
        let driver = TestDriver()
        for index in 0..<2000 {
            #expect(driver.send(Double(index % 3), Double(index % 2), at: Double(index)).completedTrackChunk == nil)
        }
        #expect(driver.tracks.count == 0)
    }

    @Test("a memory filled with the reported chunks recognises the same replay")
    func changelog() {
        let fixes = Self.track(seed: 5)
        var tracks = TrackMemory()
        let original = evaluate(fixes, from: 0, tracks: &tracks)
        var restored = TrackMemory()
        for (index, result) in original.enumerated() {
            guard let chunk = result.completedTrackChunk else { continue }
            restored.remember(chunk: chunk, at: TestDriver.start.advanced(bySeconds: Double(index)))
        }
        #expect(restored.count == tracks.count && restored.count > 10)
        let first = evaluate(fixes, from: 1000, tracks: &tracks).map(\.reasons)
        let second = evaluate(fixes, from: 1000, tracks: &restored).map(\.reasons)
        #expect(first == second)
    }
}
