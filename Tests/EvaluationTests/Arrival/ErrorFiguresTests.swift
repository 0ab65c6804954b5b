import Testing

@testable import Domain
@testable import Evaluation

struct ErrorFiguresTests {
    @Test("The bias keeps the sign of errors; the other figures are of absolute errors")
    func figures() {
        let figures = ErrorFigures(errors: [-10, 0, 10, 20, 30])
        #expect(figures.count == 5 && figures.biasSeconds == 10 && figures.meanAbsoluteSeconds == 14)
        #expect(abs(figures.ninetiethSeconds - 26) < 1e-9)
    }

    @Test("The percentile of one error is its absolute value, and without errors the count is 0")
    func fewErrors() {
        #expect(ErrorFigures(errors: [-7]).ninetiethSeconds == 7)
        #expect(ErrorFigures(errors: []).count == 0)
    }

    @Test("An arrival exactly on a bound of the interval is within the interval")
    func coverage() {
        func figures(_ low: Double, _ high: Double) -> IntervalFigures {
            var series = Series.of([(100, 0)])
            series.samples[0].lowSeconds = low
            series.samples[0].highSeconds = high
            return IntervalFigures(of: [series], in: .whole)
        }
        #expect(figures(0, 10).coverage == 1)
        #expect(figures(-10, 0).coverage == 1)
        #expect(figures(0.1, 10).coverage == 0)
        #expect(figures(-10, -0.1).coverage == 0)
        #expect(figures(-20, 10).meanWidthSeconds == 30)
    }

    @Test("The improvement over a baseline is the share by which its error is reduced")
    func improvement() throws {
        var series = Series.of([(100, 30), (200, -30)])
        for index in series.samples.indices { series.samples[index].errors[.plan] = 120 }
        let summary = ArrivalSummary(name: "hand-made", series: [series], gating: .init())
        #expect(try #require(summary.method(.plan)).improvement == 0.75)
        #expect(summary.method(.meanSpeed) == nil)
        #expect(summary.buckets.map(\.errors.count) == [1, 1, 0, 0, 0])
    }

    @Test("The share of saved messages is relative to one message per fix")
    func saving() {
        var gating = GatingFigures()
        #expect(gating.savedShare == nil)
        gating.fixRecords = 40
        gating.messages = 10
        #expect(gating.savedShare == 0.75)
    }

    @Test("Predictions before and after the departure of a run are reported separately")
    func phases() throws {
        var series = Series.of([(horizon: 900, error: 200), (horizon: 600, error: 20), (horizon: 300, error: 10)])
        series.samples[0].isBeforeDeparture = true
        let summary = ArrivalSummary(name: "run", series: [series], gating: .init())
        #expect(summary.phases.map(\.method) == ["sightline, before departure", "sightline, after departure"])
        #expect(summary.phases.map(\.errors.meanAbsoluteSeconds) == [200, 15])
        let ride = Series.of([(horizon: 300, error: 10)])
        #expect(ArrivalSummary(name: "ride", series: [ride], gating: .init()).phases.isEmpty)
    }
}
