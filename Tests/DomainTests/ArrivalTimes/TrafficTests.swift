import Testing

@testable import ArrivalTimes
@testable import Model

@Suite("Traffic conditions")
struct TrafficTests {
    private func traffic(actual: Double, planned: Double) -> TripEta.Traffic {
        var progress = TripProgress(state: .inProgress, version: 1, stopCount: 2, at: Town.noon)
        progress.pace = RecentTripSpeed(actualSeconds: actual, expectedSeconds: planned, plannedSeconds: planned)
        return ArrivalEstimator().traffic(progress)
    }

    @Test(
        "each level ends with its ratio of driving time to plan: 1.15, 1.5, 2, and beyond is severe",
        arguments: [
            (1150, .light), (1151, .moderate), (1500, .moderate), (1501, .heavy), (2000, .heavy), (2001, .severe),
            (9000, .severe),
        ] as [(Double, TripEta.Traffic)])
    func levels(actual: Double, expected: TripEta.Traffic) {
        #expect(traffic(actual: actual, planned: 1000) == expected)
    }

    @Test("under a minute of driving says nothing", arguments: [(59.9, TripEta.Traffic.unknown), (60, .severe)])
    func evidence(actual: Double, expected: TripEta.Traffic) {
        #expect(traffic(actual: actual, planned: 10) == expected)
    }

    @Test("levels that do not rise are a problem of the settings")
    func settings() {
        var settings = ArrivalSettings()
        #expect(settings.problems().isEmpty)
        settings.heavyTrafficRatio = settings.moderateTrafficRatio
        #expect(settings.problems().isEmpty)
        settings.heavyTrafficRatio = 1.4
        #expect(settings.problems().count == 1)
    }
}
