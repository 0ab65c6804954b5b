import Testing

@testable import Evaluation

@Suite("Distributions of errors")
struct ErrorDistributionTests {
    @Test("percentiles are errors that occurred, by nearest rank")
    func percentiles() {
        var errors = ErrorDistribution()
        for meters in [4.0, 1, 3, 2] { errors.add(meters) }
        #expect(errors.percentiles([0, 0.25, 0.26, 0.5, 0.51, 0.75, 0.76, 1]) == [1, 1, 2, 2, 3, 3, 4, 4])
        #expect(errors.rootMeanSquareMeters == 7.5.squareRoot())
    }

    @Test("without errors there is nothing to tell")
    func empty() {
        #expect(ErrorDistribution().percentiles([0.5]) == [nil])
        #expect(ErrorDistribution().rootMeanSquareMeters == nil)
        #expect(ErrorDistribution().cumulative(count: 4).isEmpty)
    }

    @Test("the cumulative distribution rises to the largest error")
    func cumulative() {
        var errors = ErrorDistribution()
        for meters in 1...10 { errors.add(Double(meters)) }
        #expect(errors.cumulative(count: 2) == [LinePlot.Point(x: 5, y: 0.5), LinePlot.Point(x: 10, y: 1)])
    }
}
