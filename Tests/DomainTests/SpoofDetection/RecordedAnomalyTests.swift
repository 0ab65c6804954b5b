import Testing

@testable import SpoofDetection
@testable import Support

/// How often positions accuse honest drivers: what testifies to a disturbance must be rare without one.
@Suite(.enabled(if: Recording.directory != nil, "The recordings are not here; set SIGHTLINE_DATA to their folder."))
struct RecordedAnomalyTests {
    @Test("of all honest driver-minutes, fewer than one in 200 holds an accusation by the positions")
    func rare() throws {
        let judge = SpoofDetector(settings: JudgedTrace.unlimited)
        var minutes = 0
        var accused = 0
        for name in Recording.honest {
            var disturbances = DisturbanceMemory.none
            for trace in try Recording(name).traces {
                var tracks = TrackMemory()
                var state = DriverState()
                var streamTime = Timestamp(milliseconds: .min)
                var seen: Set<Int64> = []
                var wrong: Set<Int64> = []
                for fix in trace.fixes {
                    streamTime = max(streamTime, fix.deviceAt ?? streamTime)
                    let context = judge.examined(
                        fix, receivedAt: fix.deviceAt ?? streamTime, streamTime: streamTime, driver: 0, state: state,
                        tracks: &tracks, disturbances: &disturbances)
                    state = context.driver
                    seen.insert(streamTime.milliseconds / 60_000)
                    if context.evidence.accusation != nil { wrong.insert(streamTime.milliseconds / 60_000) }
                }
                minutes += seen.count
                accused += wrong.count
            }
        }
        print("accusations by positions in \(accused) of \(minutes) honest driver-minutes")
        #expect(Double(accused) <= 0.005 * Double(minutes))
    }
}
