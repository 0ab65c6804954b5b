import Testing

@testable import Evaluation
@testable import Model
@testable import SpoofDetection
@testable import Support

/// The recordings of honest vehicles, and one of an attack.
@Suite(.enabled(if: Recording.directory != nil, "The recordings are not here; set SIGHTLINE_DATA to their folder."))
struct RecordedJudgementTests {
    @Test(
        "of all honest fixes at most 0.1 % are rejected for spoofing, of no recording over 0.5 %, and no driver is a suspect"
    )
    func honest() throws {
        var fixes = 0
        var rejections = 0
        for name in Recording.honest {
            let recording = try Recording(name)
            // Together, as one partition hears them: two traces of one phone are no replay.
            var run = EvaluatedRun()
            let judged = run.judge(recording.traces.map { ReceivedTrace($0, origin: name) }).flatMap { $0 }
            let count = judged.count
            let rejected = judged.count { $0.isAccused }
            let risk = judged.map(\.risk).max() ?? 0
            print("\(name): \(rejected) of \(count) fixes rejected for spoofing, highest risk \(risk)")
            #expect(Double(rejected) <= 0.005 * Double(count), "\(name)")
            #expect(risk < 0.7, "\(name)")
            fixes += count
            rejections += rejected
        }
        print("all honest recordings: \(rejections) of \(fixes) fixes rejected for spoofing")
        #expect(Double(rejections) <= 0.001 * Double(fixes))
    }

    @Test("no estimate of an honest fix is further from it than three times its accuracy and 30 m")
    func nearTheirFixes() throws {
        for name in Recording.honest {
            let judge = SpoofDetector(settings: JudgedTrace.unlimited)
            var accepted = 0
            var far = 0
            var farAndSure = 0
            var beyondAccuracy = 0
            for trace in try Recording(name).traces {
                var tracks = TrackMemory()
                var state = DriverState()
                var streamTime = Timestamp(milliseconds: .min)
                var previous: Coordinate?
                for fix in trace.fixes {
                    // An old position that is sent again is answered with where the vehicle should be by now.
                    let isRepeat = previous.map { GridPoint($0) } == GridPoint(fix.coordinate)
                    previous = fix.coordinate
                    streamTime = max(streamTime, fix.deviceAt ?? streamTime)
                    let judgement = judge.judge(
                        fix, receivedAt: fix.deviceAt ?? streamTime, streamTime: streamTime, state: &state,
                        tracks: &tracks)
                    guard let estimate = judgement.estimate, !isRepeat else { continue }
                    let distance = Geodesy.distanceMeters(from: estimate.coordinate, to: fix.coordinate)
                    accepted += 1
                    if distance > 100 { far += 1 }
                    if distance > 100, estimate.confidence == .high { farAndSure += 1 }
                    if distance > 3 * estimate.accuracyMeters + 30 { beyondAccuracy += 1 }
                }
            }
            print(
                "\(name): of \(accepted) estimates \(far) over 100 m from their fix, \(farAndSure) of them HIGH;",
                "\(beyondAccuracy) further than their accuracy admits")
            #expect(farAndSure == 0 && beyondAccuracy == 0, "\(name)")
        }
    }

    @Test("the recorded attack gets its vehicle flagged")
    func attack() throws {
        let judge = SpoofDetector(settings: JudgedTrace.unlimited)
        var tracks = TrackMemory()
        let judged = try Recording("traces/spoof_rover").traces.map { JudgedTrace($0, judge: judge, tracks: &tracks) }
        #expect(judged.contains { $0.flaggedFixes > 0 })
    }
}
