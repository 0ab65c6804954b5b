import Testing

@testable import Domain
@testable import Support

@Suite("Distance trail of a driver")
struct DistanceTrailTests {
    private static let past = Timestamp(milliseconds: .min)

    /// Adds a fix every `step` seconds of a vehicle that drives east at 10 m/s.
    private func add(
        to trail: inout DistanceTrail, from start: Double = 0, through end: Double, by step: Double = 5,
        isMoving: Bool = true, arrivedAt: Double? = nil
    ) {
        for second in stride(from: start, through: end, by: step) {
            trail.add(
                Town.place(second * 10, 0), isMoving: isMoving, measuredAt: Town.time(second),
                arrivedAt: Town.time(arrivedAt ?? second), memoryMilliseconds: 300_000)
        }
    }

    @Test(
        "the distance after a time includes a share of the step that contains the time",
        arguments: [(-1.0, 1000.0), (0, 1000), (50, 500), (52.5, 475), (99.9, 1), (100, 0), (101, 0)])
    func parts(start: Double, expected: Double) {
        var trail = DistanceTrail()
        add(to: &trail, through: 100)
        let meters = trail.meters(after: Town.time(start), arrivedAfter: Self.past)
        #expect(abs(meters - expected) < 0.5)
    }

    @Test("fixes in the same 5 s share a step without losing distance")
    func cells() {
        var trail = DistanceTrail()
        add(to: &trail, through: 100, by: 1)
        #expect(trail.steps.count == 21)
        #expect(abs(trail.meters(after: Self.past, arrivedAfter: Self.past) - 960) < 0.5, "without the first 40 m")
    }

    @Test(
        "a step whose first fix arrived at or before the limit is excluded", arguments: [(49.9, 500.0), (50, 450)])
    func limit(seconds: Double, expected: Double) {
        var trail = DistanceTrail()
        add(to: &trail, through: 100)
        let meters = trail.meters(after: Self.past, arrivedAfter: Town.time(seconds))
        #expect(abs(meters - expected) < 0.5)
    }

    @Test("noise of a halted vehicle and older fixes add no distance")
    func nothing() {
        var trail = DistanceTrail()
        add(to: &trail, through: 100)
        add(to: &trail, from: 105, through: 200, isMoving: false)
        add(to: &trail, from: 20, through: 60)
        #expect(abs(trail.meters(after: Self.past, arrivedAfter: Self.past) - 1000) < 0.5)
    }

    @Test("steps are limited by age for live fixes and by number for a batch")
    func bounds() {
        var live = DistanceTrail()
        add(to: &live, through: 36_000, by: 5)
        #expect(live.steps.count <= 130)
        var upload = DistanceTrail()
        add(to: &upload, through: 36_000, by: 5, arrivedAt: 40_000)
        #expect(upload.steps.count <= DistanceTrail.maximumSteps)
        let meters = upload.meters(after: Self.past, arrivedAfter: Self.past)
        #expect(abs(meters - Double(DistanceTrail.usedSteps) * 50) < 1)
    }
}
