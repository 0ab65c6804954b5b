import Foundation
import Testing
import Tracking

@testable import Evaluation

struct ServiceMinutesTests {
    @Test("With ten minutes left a vehicle may come 2.42 minutes early and 2.44 late, exclusively")
    func bounds() {
        let early = 60 * log(11.3)
        let late = 60 * log(11.5)
        #expect(abs(early / 60 - 2.42) < 0.01 && abs(late / 60 - 2.44) < 0.01)
        #expect(ServiceMinutes.isAccurate(lateSeconds: late - 0.01, minutesLeft: 10))
        #expect(!ServiceMinutes.isAccurate(lateSeconds: late + 0.01, minutesLeft: 10))
        #expect(ServiceMinutes.isAccurate(lateSeconds: 0.01 - early, minutesLeft: 10))
        #expect(!ServiceMinutes.isAccurate(lateSeconds: -early - 0.01, minutesLeft: 10))
    }

    @Test("A minute counts once, by the mean error of its predictions")
    func minutes() {
        // The arrival is on a full minute: 590 and 570 s before lie in one clock minute, 530 s in the next.
        let series = Series.of([(590, 300), (570, -300), (530, 300)])
        let figures = ServiceMinutes(of: [series], by: .ours)
        #expect(figures.minutes == 2)
        #expect(figures.accurateMinutes == 1)
        #expect(figures.accurateShare == 0.5)
    }

    @Test("A rider catches a vehicle that comes when it was predicted or later, and misses one that comes earlier")
    func catching() {
        func caught(_ error: Double) -> Int { ServiceMinutes(of: [Series.of([(300, error)])], by: .ours).caughtMinutes }
        #expect(caught(-0.1) == 1)
        #expect(caught(0) == 1)
        #expect(caught(0.1) == 0)
    }

    @Test("Predictions more than half an hour before the arrival do not count")
    func horizon() {
        #expect(ServiceMinutes(of: [Series.of([(1800.1, 0)])], by: .ours).minutes == 0)
        #expect(ServiceMinutes(of: [Series.of([(1800, 0)])], by: .ours).minutes == 1)
    }

    @Test("Wobble is the mean spread within windows of two minutes, one starting each minute")
    func wobble() {
        // Seen in the windows that start 10 and 11 minutes before: a spread of 60 s, and each alone in a neighbour.
        let near = ServiceMinutes(of: [Series.of([(595, 0), (545, 60)])], by: .ours)
        #expect(near.windows == 2 && near.spreadMinutes == 2 && near.wobbleMinutes == 1)
        // Two minutes apart no window holds both.
        let far = ServiceMinutes(of: [Series.of([(595, 0), (475, 60)])], by: .ours)
        #expect(far.windows == 4 && far.spreadMinutes == 0)
    }

    @Test("Predictions that never move do not wobble")
    func steady() {
        let series = Series.of(stride(from: 1800.0, to: 0, by: -30).map { ($0, 45) })
        let figures = ServiceMinutes(of: [series], by: .ours)
        #expect(figures.windows == 30 && figures.wobbleMinutes == 0)
    }
}
