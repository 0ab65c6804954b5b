import Testing

@testable import Evaluation

struct AccuracyBandsTests {
    private static func share(_ bands: AccuracyBands, horizon: Double, error: Double) -> [Double?] {
        bands.shares(of: [Series.of([(horizon, error)])], by: .ours)
    }

    @Test(
        "The error bounds of the ETA Accuracy Benchmark are inclusive",
        arguments: [(0, 90.0, 30.0, 90.0), (1, 200.0, 60.0, 150.0), (2, 480.0, 60.0, 210.0), (3, 700.0, 90.0, 270.0)])
    func benchmarkBounds(band: Int, horizon: Double, early: Double, late: Double) {
        let bands = AccuracyBands.etaAccuracyBenchmark
        // The error is predicted minus actual time, so it is positive if the vehicle comes early.
        #expect(Self.share(bands, horizon: horizon, error: early)[band] == 1)
        #expect(Self.share(bands, horizon: horizon, error: early + 0.1)[band] == 0)
        #expect(Self.share(bands, horizon: horizon, error: -late)[band] == 1)
        #expect(Self.share(bands, horizon: horizon, error: -late - 0.1)[band] == 0)
    }

    @Test(
        "A range of time ahead includes its lower bound and excludes its upper bound",
        arguments: [(0.0, 0), (179.9, 0), (180.0, 1), (360.0, 2), (599.9, 2), (600.0, 3), (899.9, 3)])
    func benchmarkBuckets(horizon: Double, band: Int) {
        let shares = Self.share(.etaAccuracyBenchmark, horizon: horizon, error: 0)
        #expect(shares.map { $0 != nil } == (0..<4).map { $0 == band })
    }

    @Test("Predictions fifteen minutes ahead are outside the benchmark")
    func beyondTheBenchmark() {
        #expect(Self.share(.etaAccuracyBenchmark, horizon: 900, error: 0).allSatisfy { $0 == nil })
    }

    @Test("The benchmark uses the actual time to the arrival, the transit authority's bands the predicted time")
    func timeAhead() {
        // The arrival is four minutes ahead, and predicted two minutes ahead.
        #expect(Self.share(.etaAccuracyBenchmark, horizon: 240, error: -120) == [nil, 1, nil, nil])
        #expect(Self.share(.transitAuthority, horizon: 240, error: -120) == [0, nil, nil, nil])
    }

    @Test(
        "The error bounds of the transit authority's bands are inclusive",
        arguments: [(0, 60.0, 60.0), (1, 90.0, 120.0), (2, 150.0, 210.0), (3, 240.0, 360.0)])
    func authorityBounds(band: Int, early: Double, late: Double) {
        let predicted = [100.0, 300.0, 600.0, 1500.0][band]
        for (error, expected) in [(early, 1.0), (early + 0.1, 0.0), (-late, 1.0), (-late - 0.1, 0.0)] {
            // The actual time to the arrival is the predicted time minus the error.
            let shares = Self.share(.transitAuthority, horizon: predicted - error, error: error)
            #expect(shares[band] == expected, "\(error)")
        }
    }

    @Test("The mean gives every band the same weight")
    func mean() {
        let series = Series.of([(100, 0), (100, 500), (200, 0), (400, 0), (700, 0), (710, 0), (720, 0)])
        let shares = AccuracyBands.etaAccuracyBenchmark.shares(of: [series], by: .ours)
        #expect(shares == [0.5, 1, 1, 1])
        #expect(AccuracyBands.mean(shares) == 0.875)
    }

    @Test("There is no mean if a band has no predictions")
    func meanOfTooFew() { #expect(AccuracyBands.mean([1, nil, 1, 1]) == nil) }

    @Test("Predictions of another method do not count")
    func otherMethod() {
        #expect(AccuracyBands.etaAccuracyBenchmark.shares(of: [Series.of([(100, 0)], by: .plan)], by: .ours)[0] == nil)
    }
}
