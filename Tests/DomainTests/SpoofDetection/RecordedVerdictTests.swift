import Testing

@testable import Domain
@testable import Evaluation
@testable import Recordings
@testable import Support

/// Verdicts on recordings of honest vehicles, and on a recorded attack.
@Suite(.enabled(if: Recording.directory != nil, Recording.absence))
struct RecordedVerdictTests {
    @Test(
        "at most 0.1 % of honest fixes are rejected for spoofing, 0.5 % per recording, and no driver is a suspect"
    )
    func honest() throws {
        var fixes = 0
        var rejections = 0
        for name in Recording.honest {
            let recording = try Recording(name)
            // All traces share a memory, as in one partition, because two traces of one phone must not be a replay.
            var run = EvaluatedRun()
            let outcomes = run.evaluate(recording.traces.map { ReceivedTrace($0, origin: name) }).flatMap { $0 }
            let count = outcomes.count
            let rejected = outcomes.count { $0.isRejectedAsSpoofed }
            let risk = outcomes.map(\.risk).max() ?? 0
            print("\(name): \(rejected) of \(count) fixes rejected for spoofing, highest risk \(risk)")
            #expect(Double(rejected) <= 0.005 * Double(count), "\(name)")
            #expect(risk < 0.7, "\(name)")
            fixes += count
            rejections += rejected
        }
        print("all honest recordings: \(rejections) of \(fixes) fixes rejected for spoofing")
        #expect(Double(rejections) <= 0.001 * Double(fixes))
    }

    /// Evaluates a trace with a fresh state; fixes are received at their device time.
    private static func results(_ trace: RecordedTrace, _ tracks: inout TrackMemory) -> [VerdictResult] {
        let detector = SpoofDetector(settings: .unlimited)
        var state = DriverState()
        var streamTime = Timestamp(milliseconds: .min)
        return trace.fixes.map { fix in
            streamTime = max(streamTime, fix.deviceAt ?? streamTime)
            return detector.evaluate(
                fix, receivedAt: fix.deviceAt ?? streamTime, streamTime: streamTime, state: &state, tracks: &tracks)
        }
    }

    @Test("an estimate of an honest fix is within three times its accuracy plus 30 m, and within 100 m if HIGH")
    func nearTheirFixes() throws {
        for name in Recording.honest {
            var accepted = 0
            var far = 0
            var farAndHigh = 0
            var beyondAccuracy = 0
            for trace in try Recording(name).traces {
                var tracks = TrackMemory()
                var previous: Coordinate?
                for (fix, result) in zip(trace.fixes, Self.results(trace, &tracks)) {
                    // Repeated positions are not compared, because their estimates are extrapolated.
                    let isRepeat = previous.map { GridPoint($0) } == GridPoint(fix.coordinate)
                    previous = fix.coordinate
                    guard let estimate = result.estimate, !isRepeat else { continue }
                    let distance = Geodesy.distanceMeters(from: estimate.coordinate, to: fix.coordinate)
                    accepted += 1
                    if distance > 100 { far += 1 }
                    if distance > 100, estimate.confidence == .high { farAndHigh += 1 }
                    if distance > 3 * estimate.accuracyMeters + 30 { beyondAccuracy += 1 }
                }
            }
            print(
                "\(name): of \(accepted) estimates \(far) over 100 m from their fix, \(farAndHigh) of them HIGH;",
                "\(beyondAccuracy) farther than their accuracy allows")
            #expect(farAndHigh == 0 && beyondAccuracy == 0, "\(name)")
        }
    }

    @Test("the recorded attack is flagged")
    func attack() throws {
        var tracks = TrackMemory()
        let results = try Recording("traces/spoof_rover").traces.flatMap { Self.results($0, &tracks) }
        #expect(results.contains { $0.isFlagged })
    }
}
