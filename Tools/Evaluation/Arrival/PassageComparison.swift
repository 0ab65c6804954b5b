import Recordings

/// Comparison of the derived stop passages with those of another source for the same log.
package struct PassageComparison: Sendable, Equatable, Codable {
    /// Passages in both sources.
    package var common = 0
    /// Passages only in the derived source, and only in the given one.
    package var onlyHere = 0
    package var onlyThere = 0
    /// Derived minus given, in seconds.
    package var medianSeconds = 0.0
    package var medianAbsoluteSeconds = 0.0
    package var ninetyFifthSeconds = 0.0

    /// Compares trips, whose stop ids end in `#<stop_sequence>`, with given passages.
    package init(of trips: [RecordedTrip], with observed: ObservedPassages) {
        var differences: [Double] = []
        for trip in trips {
            guard let journey = trip.journeys.first else { continue }
            let tripID = journey.message.tripID.split(separator: "@").first.map(String.init) ?? trip.id
            for target in journey.targets {
                let sequence = journey.message.stops[target.stop].id.split(separator: "#").last.flatMap { Int($0) }
                let there = sequence.flatMap { observed.times[.init(tripID: tripID, stopSequence: $0)] }
                guard let there else {
                    onlyHere += 1
                    continue
                }
                differences.append(target.arrivedAt.seconds(since: there))
            }
        }
        common = differences.count
        onlyThere = observed.times.count - common
        guard common > 0 else { return }
        medianSeconds = ErrorFigures.percentile(0.5, of: differences.sorted())
        let absolute = differences.map(abs).sorted()
        medianAbsoluteSeconds = ErrorFigures.percentile(0.5, of: absolute)
        ninetyFifthSeconds = ErrorFigures.percentile(0.95, of: absolute)
    }
}
