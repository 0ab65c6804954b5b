import Testing

@testable import Domain
@testable import Support

/// Position-based evidence of honest drivers must be rare, because it indicates interference.
@Suite(.enabled(if: Recording.directory != nil, Recording.absence))
struct RecordedAnomalyTests {
    @Test("at most one in 200 honest driver-minutes has position-based evidence")
    func rare() throws {
        let detector = SpoofDetector(settings: .unlimited)
        var minutes = 0
        var minutesWithEvidence = 0
        for name in Recording.honest {
            var disturbances = DisturbanceMemory.none
            for trace in try Recording(name).traces {
                var tracks = TrackMemory()
                var state = DriverState()
                var streamTime = Timestamp(milliseconds: .min)
                var seen: Set<Int64> = []
                var withEvidence: Set<Int64> = []
                for fix in trace.fixes {
                    streamTime = max(streamTime, fix.deviceAt ?? streamTime)
                    let context = detector.evaluateContext(
                        fix, receivedAt: fix.deviceAt ?? streamTime, streamTime: streamTime, driver: 0, state: state,
                        tracks: &tracks, disturbances: &disturbances)
                    state = context.driver
                    seen.insert(streamTime.milliseconds / 60_000)
                    if context.evidence.candidateWarning != nil {
                        withEvidence.insert(streamTime.milliseconds / 60_000)
                    }
                }
                minutes += seen.count
                minutesWithEvidence += withEvidence.count
            }
        }
        print("position-based evidence in \(minutesWithEvidence) of \(minutes) honest driver-minutes")
        #expect(Double(minutesWithEvidence) <= 0.005 * Double(minutes))
    }
}
