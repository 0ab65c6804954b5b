import Testing

@testable import Domain
@testable import Evaluation
@testable import Recordings
@testable import Support

@Suite("Scores of smoothed traces")
struct SmoothingScoreTests {
    private static let plane = TangentPlane(origin: Coordinate(latitude: 48, longitude: 11))

    /// Returns fixes at these metres east of an origin, a second apart; the truth is `offset` metres further east.
    private func trace(_ east: [Double], offset: Double? = 0, speed: Double? = nil) -> RecordedTrace {
        var trace = RecordedTrace(id: "a", driverID: "a")
        for (index, meters) in east.enumerated() {
            var fix = Fix(coordinate: Self.place(meters))
            fix.deviceAt = Timestamp(milliseconds: 1_700_000_000_000 + 1000 * Int64(index))
            fix.accuracyMeters = 5
            fix.speedMetersPerSecond = speed
            fix.contentHash = UInt64(index)
            trace.fixes.append(fix)
            trace.truth.append(offset.map { Self.place(meters + $0) })
            trace.isSpoofed.append(false)
        }
        return trace
    }

    private static func place(_ east: Double) -> Coordinate {
        plane.coordinate(of: TangentPlane.Point(east: east, north: 0))
    }

    @Test("a fix without an estimate is scored with the previous estimate")
    func withoutEstimate() throws {
        var far = trace((0..<40).map { 10 * Double($0) })
        // A jump of 20 km in one second is rejected; the reference stays on the road.
        far.fixes[30].coordinate = Self.place(20_000)
        let score = SmoothingScore(far)
        #expect(score.smoothed.errors.count == 40)
        #expect(abs(score.smoothed.errors[30] - 10) < 1)
        #expect(abs(score.raw.errors[30] - 19_700) < 20)
    }

    @Test("fixes before the first estimate are not scored")
    func beforeFirstEstimate() {
        var late = trace([0, 1, 2])
        late.fixes[0].coordinate = Coordinate(latitude: 0, longitude: 0)
        let score = SmoothingScore(late)
        #expect(score.raw.errors.count == 2 && score.smoothed.errors.count == 2)
    }

    @Test(
        "errors within the stated accuracy and within twice the accuracy are counted",
        arguments: [(4.9, 1, 1), (5.1, 0, 1), (9.9, 0, 1), (10.1, 0, 0)])
    func honesty(offset: Double, within: Double, twice: Double) {
        let score = SmoothingScore(trace([0, 0, 0], offset: offset))
        #expect(score.raw.honesty.shareWithin == within)
        #expect(score.raw.honesty.shareWithinTwice == twice)
    }

    @Test("while the reference does not move, the path from fix to fix counts as wander")
    func wander() throws {
        var parked = trace((0..<61).map { $0 % 2 == 0 ? 0 : 4 }, speed: 0)
        parked.truth = parked.truth.map { _ in Self.place(0) }
        let score = SmoothingScore(parked)
        #expect(score.standingSeconds == 60)
        #expect(abs(try #require(score.wanderMetersPerMinute(score.raw)) - 240) < 0.1)
        #expect(try #require(score.wanderMetersPerMinute(score.smoothed)) < 24)
    }

    @Test(
        "without a reference, a reported speed of 0 counts as standing if it lasts for at least 10 s",
        arguments: [(9, 0.0), (10, 10)])
    func standing(seconds: Int, counted: Double) {
        let here = trace(Array(repeating: 0, count: seconds + 1), offset: nil, speed: 0)
        #expect(SmoothingScore(here).standingSeconds == counted)
    }

    @Test("a reported speed of 0 while the position moves does not count as standing")
    func contradicted() {
        let moving = trace((0..<60).map { 10 * Double($0) }, offset: nil, speed: 0)
        #expect(SmoothingScore(moving).standingSeconds == 0)
    }

    @Test("merged scores cover all fixes")
    func merged() throws {
        var score = SmoothingScore(trace([0, 0, 0], offset: 3))
        score.merge(SmoothingScore(trace([0, 0, 0], offset: 4)))
        #expect(score.raw.errors.count == 6)
        #expect(abs(try #require(score.raw.errors.rootMeanSquare) - 12.5.squareRoot()) < 1e-3)
    }

    @Test("the averaging filter lags by half the trip, and the velocity filters do not lag")
    func baselines() throws {
        let ramp = trace((0..<101).map { 10 * Double($0) })
        let averaging = SmoothingScore(ramp, baselines: BaselineFilter.allCases).baselines[.averaging]
        #expect(abs(try #require(averaging?.errors.last) - 500) < 1)
        for baseline in [BaselineFilter.constantVelocity, .reportedVelocity] {
            let score = SmoothingScore(ramp, baselines: [baseline]).baselines[baseline]
            #expect(try #require(score?.errors.last) < 0.1)
        }
    }
}
