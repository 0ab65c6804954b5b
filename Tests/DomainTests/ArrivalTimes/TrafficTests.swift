import Testing

@testable import Domain

@Suite("Traffic conditions")
struct TrafficTests {
    private func traffic(actual: Double, planned: Double) -> TripEta.Traffic {
        var progress = TripProgress(state: .inProgress, version: 1, stopCount: 2, at: Town.start)
        progress.recentSpeed = RecentTripSpeed(actualSeconds: actual, expectedSeconds: planned, plannedSeconds: planned)
        return ArrivalEstimator().traffic(progress)
    }

    @Test(
        "traffic levels end at 1.15, 1.5 and 2 times the planned time",
        arguments: [
            (1150, .light), (1151, .moderate), (1500, .moderate), (1501, .heavy), (2000, .heavy), (2001, .severe),
            (9000, .severe),
        ] as [(Double, TripEta.Traffic)])
    func levels(actual: Double, expected: TripEta.Traffic) {
        #expect(traffic(actual: actual, planned: 1000) == expected)
    }

    @Test("traffic is unknown below a minute of driving", arguments: [(59.9, TripEta.Traffic.unknown), (60, .severe)])
    func evidence(actual: Double, expected: TripEta.Traffic) {
        #expect(traffic(actual: actual, planned: 10) == expected)
    }

    @Test("descending limits of traffic levels are invalid")
    func settings() {
        var settings = ArrivalSettings()
        #expect(settings.problems().isEmpty)
        settings.heavyTrafficRatio = settings.moderateTrafficRatio
        #expect(settings.problems().isEmpty)
        settings.heavyTrafficRatio = 1.4
        #expect(settings.problems().count == 1)
    }
}
