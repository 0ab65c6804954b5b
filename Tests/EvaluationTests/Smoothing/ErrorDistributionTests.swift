import Testing

@testable import Evaluation

@Suite("Error distributions")
struct ErrorDistributionTests {
    @Test("percentiles are errors that occurred, by nearest rank")
    func percentiles() {
        var errors = ErrorDistribution()
        for meters in [4.0, 1, 3, 2] { errors.add(meters) }
        #expect(errors.percentiles([0, 0.25, 0.26, 0.5, 0.51, 0.75, 0.76, 1]) == [1, 1, 2, 2, 3, 3, 4, 4])
        #expect(errors.rootMeanSquareMeters == 7.5.squareRoot())
    }

    @Test("without errors there are no figures")
    func empty() {
        #expect(ErrorDistribution().percentiles([0.5]) == [nil])
        #expect(ErrorDistribution().rootMeanSquareMeters == nil)
    }
}
