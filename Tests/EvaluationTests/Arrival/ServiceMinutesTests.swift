import Foundation
import Testing

@testable import Evaluation

struct ServiceMinutesTests {
    @Test("With ten minutes left, the exclusive bounds are 2.42 minutes early and 2.44 minutes late")
    func bounds() {
        let early = 60 * log(11.3)
        let late = 60 * log(11.5)
        #expect(abs(early / 60 - 2.42) < 0.01 && abs(late / 60 - 2.44) < 0.01)
        #expect(ServiceMinutes.isAccurate(lateSeconds: late - 0.01, minutesLeft: 10))
        #expect(!ServiceMinutes.isAccurate(lateSeconds: late + 0.01, minutesLeft: 10))
        #expect(ServiceMinutes.isAccurate(lateSeconds: 0.01 - early, minutesLeft: 10))
        #expect(!ServiceMinutes.isAccurate(lateSeconds: -early - 0.01, minutesLeft: 10))
    }

    @Test("A minute counts once, with the mean error of its predictions")
    func minutes() {
        // The arrival is on a full minute, so 590 and 570 s before it are in one clock minute, 530 s in the next.
        let series = Series.of([(590, 300), (570, -300), (530, 300)])
        let figures = ServiceMinutes(of: [series], by: .ours)
        #expect(figures.minutes == 2)
        #expect(figures.accurateMinutes == 1)
        #expect(figures.accurateShare == 0.5)
    }

    @Test("A rider catches a vehicle that comes at the predicted time or later")
    func catching() {
        func caught(_ error: Double) -> Int {
            ServiceMinutes(of: [Series.of([(300, error)])], by: .ours).caughtPredictions
        }
        #expect(caught(-0.1) == 1)
        #expect(caught(0) == 1)
        #expect(caught(0.1) == 0)
    }

    @Test("Every prediction counts for the catch likelihood")
    func catchingByPrediction() {
        // The arrival is on a full minute, so three predictions are in one clock minute and one in the next.
        let series = Series.of([(590, 5), (570, 5), (550, -20), (530, -20)])
        let figures = ServiceMinutes(of: [series], by: .ours)
        #expect(figures.minutes == 2 && figures.predictions == 4)
        #expect(figures.catchLikelihood == 0.5)
    }

    @Test("Predictions count in the 30 clock minutes before the arrival's own minute")
    func horizon() {
        func minutes(_ horizon: Double) -> Int {
            ServiceMinutes(of: [Series.of([(horizon, 0)])], by: .ours).minutes
        }
        #expect(minutes(1800.1) == 0)
        #expect(minutes(1800) == 1)
        #expect(minutes(0.1) == 1)
        #expect(minutes(0) == 0)
    }

    @Test("Predictions in the arrival's own clock minute do not count")
    func ownMinute() {
        // The arrival is 30 s after a full minute.
        var series = Series.of([])
        series.arrivedAt = series.arrivedAt.advanced(bySeconds: 30)
        for horizon in [29.0, 31.0] {
            var sample = ArrivalSample(at: series.arrivedAt.advanced(bySeconds: -horizon), horizonSeconds: horizon)
            sample.errors[.ours] = 0
            series.samples = [sample]
            #expect(ServiceMinutes(of: [series], by: .ours).minutes == (horizon == 31 ? 1 : 0))
        }
    }

    @Test("The bounds depend on the time left in clock minutes")
    func clockMinutes() {
        // 61 s before the arrival, two clock minutes are left, so the bound is 60 ln(3.5) = 75 s; with one, it is 55 s.
        #expect(ServiceMinutes(of: [Series.of([(61, -70)])], by: .ours).accurateMinutes == 1)
        #expect(ServiceMinutes(of: [Series.of([(60, -70)])], by: .ours).accurateMinutes == 0)
    }

    @Test("Wobble is the mean spread within a clock minute")
    func wobble() {
        // Both predictions are in the tenth clock minute before the arrival; the predicted arrivals are 60 s apart.
        #expect(ServiceMinutes(of: [Series.of([(595, 0), (545, 60)])], by: .ours).wobbleMinutes == 1)
        // These predictions are in different clock minutes.
        let apart = ServiceMinutes(of: [Series.of([(545, 0), (535, 60)])], by: .ours)
        #expect(apart.minutes == 2 && apart.wobbleMinutes == 0)
    }

    @Test("Constant predictions have no wobble")
    func steady() {
        let series = Series.of(stride(from: 1800.0, to: 0, by: -30).map { ($0, 45) })
        let figures = ServiceMinutes(of: [series], by: .ours)
        #expect(figures.minutes == 30 && figures.wobbleMinutes == 0)
    }
}
