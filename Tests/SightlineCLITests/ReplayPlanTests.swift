import Testing

@testable import Recordings
@testable import SightlineCLI
@testable import Support

@Suite("Replay plan")
struct ReplayPlanTests {
    private let now = Timestamp(milliseconds: 1_000_000)

    private func plan(_ speed: ReplaySpeed) -> ReplayPlan {
        var survey = RecordedFile.Survey()
        survey.earliest = Timestamp(milliseconds: 100_000)
        survey.latest = Timestamp(milliseconds: 160_000)
        return ReplayPlan(survey: survey, speed: speed)
    }

    @Test("times are shifted so that the last fix is now")
    func shift() {
        var plan = plan(.times(1))
        plan.begin(at: now)
        #expect(plan.change.shiftMilliseconds == 840_000)
    }

    @Test("a record waits for its time at a limited speed, and not at unlimited speed")
    func speed() throws {
        var limited = plan(.times(10))
        limited.begin(at: now)
        let last = Timestamp(milliseconds: 1_000_000)
        #expect(abs(try #require(limited.secondsUntil(last, elapsed: 0)) - 6) < 1e-9)
        #expect(abs(try #require(limited.secondsUntil(last, elapsed: 5.5)) - 0.5) < 1e-9)
        #expect(limited.secondsUntil(last, elapsed: 6) == nil)
        var unlimited = plan(.unlimited)
        unlimited.begin(at: now)
        #expect(unlimited.secondsUntil(last, elapsed: 0) == nil)
    }

    @Test("a round starts 1 s after the previous one ends, and waits if it would be over 600 s ahead of the clock")
    func rounds() {
        var plan = plan(.unlimited)
        plan.begin(at: now)
        #expect(plan.waitBeforeRoundMilliseconds(now: now) == 0)
        var end: Int64 = 1_000_000
        for _ in 0..<9 {
            plan.begin(at: now)
            #expect(100_000 + plan.change.shiftMilliseconds == end + 1000)
            end = 160_000 + plan.change.shiftMilliseconds
        }
        #expect(plan.waitBeforeRoundMilliseconds(now: now) == 0)
        plan.begin(at: now)
        #expect(plan.waitBeforeRoundMilliseconds(now: now) == 10_000)
    }

    @Test("each round has a new session and shifted positions, unless options keep them")
    func changes() throws {
        var plan = plan(.unlimited)
        plan.begin(at: now)
        let first = plan.change
        plan.begin(at: Timestamp(milliseconds: now.milliseconds + 1))
        #expect(plan.change.sessionTag != first.sessionTag && plan.change.latitudeShift != first.latitudeShift)
        for option in ["--keep-times", "--keep-session", "--keep-positions"] {
            #expect(plan.explanation.contains(option))
        }
        let kept = try KeptOptions.parse(["--keep-times", "--keep-session", "--keep-positions"]).kept
        var unchanged = ReplayPlan(survey: RecordedFile.Survey(), speed: .unlimited, keeping: kept)
        unchanged.begin(at: now)
        #expect(unchanged.change == ReplayTransform())
        #expect(unchanged.explanation == "times as recorded; sessions as recorded; positions as recorded")
    }

    @Test("speeds are positive numbers or max")
    func speeds() {
        #expect(ReplaySpeed(argument: "max") == .unlimited)
        #expect(ReplaySpeed(argument: "2.5") == .times(2.5))
        for text in ["0", "-1", "fast", "inf", "nan"] { #expect(ReplaySpeed(argument: text) == nil) }
    }
}
