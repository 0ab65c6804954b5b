import ArgumentParser
import Codec
import Domain

/// The filter options of `sightline tail`.
struct TailFilter: ParsableArguments {
    enum Kind: String, CaseIterable {
        case driver, trip, reason
    }

    @Option(help: "Only records of this driver.")
    var driver: String?

    @Option(help: "Only records of this trip, including batches with a fix of this trip.")
    var trip: String?

    @Option(help: "Only records with this reason, such as TELEPORTATION (repeatable).")
    var reason: [String] = []

    /// The filters that are set.
    var kinds: Set<Kind> {
        Set([driver.map { _ in .driver }, trip.map { _ in .trip }, reason.isEmpty ? nil : .reason].compactMap { $0 })
    }

    /// - Throws: `ValidationError` for a filter or reason that the topic does not support.
    func check(_ topic: PipelineTopic?, name: String) throws {
        let supported = TailColumns(topic).filters
        if let kind = Kind.allCases.first(where: { kinds.contains($0) && !supported.contains($0) }) {
            let others = Kind.allCases.filter(supported.contains).map { "--\($0.rawValue)" }
            throw ValidationError(
                "\(name) does not support --\(kind.rawValue); "
                    + (others.isEmpty
                        ? "it has no filters." : "use \(others.joined(separator: ", "))."))
        }
        let known = Self.reasons(of: topic)
        if let unknown = reason.first(where: { !known.contains($0.uppercased()) }) {
            throw ValidationError(
                "\(name) has no reason \(unknown); use \(known.sorted().joined(separator: ", ")).")
        }
    }

    func matches(_ entry: TailEntry) -> Bool {
        if let driver, entry.driver != driver { return false }
        if let trip, !entry.trips.contains(trip) { return false }
        return reason.isEmpty || reason.contains { entry.reasons.contains($0.uppercased()) }
    }

    /// Returns the codes that `--reason` accepts for a topic; empty if it has none.
    static func reasons(of topic: PipelineTopic?) -> Set<String> {
        switch topic {
        case .locations, .warnings: Set(Reasons.all.map { "\($0.code)" })
        case .tripWarnings: Set(TripWarning.Code.allCases.map { "\($0.code)" })
        case .locationsDeadLetter: Set(DeadLetterReason.allCases.map { "\($0.code)" })
        case .tripsDeadLetter:
            Set(DeadLetterReason.allCases.map { "\($0.code)" } + TripRejection.allCases.map { "\($0.code)" })
        default: []
        }
    }
}
