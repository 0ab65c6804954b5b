import Domain

/// What another choice of the told time gains and costs on runs of a timetable: one point of the frontier on which fewer
/// missed vehicles cost correct minutes.
package struct HeadlineChoice: Sendable, Codable {
    /// How much of the way to the interval's lower bound the band begins before the median, far ahead; 0 tells the
    /// median itself.
    package var earlyShare: Double
    /// Whether the workers tell times so.
    package var isStandard: Bool
    /// Over all samples.
    package var whole: ArrivalSummary.Method
    /// While the vehicle was under way.
    package var departed: ArrivalSummary.Method

    /// The shares of the way that are compared, beside that of the workers.
    private static let earlyShares = [0.0, 0.2, 0.4, 0.8, 1.0]

    /// The settings that tell times by `earlyShare`, with everything else in proportion; the standard ones at theirs.
    static func settings(earlyShare: Double) -> PublishedETASettings {
        let standard = PublishedETASettings.transit
        guard earlyShare > 0 else { return .middle }
        let factor = earlyShare / standard.far.earlyShare
        func scaled(_ band: PublishedETASettings.Band) -> PublishedETASettings.Band {
            .init(early: band.earlyShare * factor, late: band.lateShare, first: band.firstShare * factor)
        }
        var settings = standard
        settings.near = scaled(standard.near)
        settings.far = scaled(standard.far)
        return settings
    }

    /// Every choice, by rising share: `replay` plays the recording with a headline.
    static func frontier(replay: (PublishedETASettings) -> [ArrivalSeries]) -> [HeadlineChoice] {
        let standard = PublishedETASettings.transit.far.earlyShare
        return (earlyShares + [standard]).sorted().map { share in
            let series = replay(settings(earlyShare: share))
            let departed = series.map { $0.predicted(beforeDeparture: false) }
            return HeadlineChoice(
                earlyShare: share, isStandard: share == standard,
                whole: ArrivalSummary.Method("sightline", series, by: .ours, ours: nil),
                departed: ArrivalSummary.Method("sightline, after departure", departed, by: .ours, ours: nil))
        }
    }
}
