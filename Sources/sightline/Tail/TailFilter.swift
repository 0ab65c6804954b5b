import ArgumentParser
import Codec
import Model

/// Which records `sightline tail` shows.
struct TailFilter: ParsableArguments {
    enum Kind: String, CaseIterable {
        case driver, trip, reason
    }

    @Option(help: "Show the records of this driver only.")
    var driver: String?

    @Option(help: "Show the records of this trip only; a batch where any of its fixes names it.")
    var trip: String?

    @Option(help: "Show the records with this reason only, such as TELEPORTATION; may be given several times.")
    var reason: [String] = []

    /// What records are chosen by.
    var kinds: Set<Kind> {
        Set(
            Kind.allCases.filter { kind in
                switch kind {
                case .driver: driver != nil
                case .trip: trip != nil
                case .reason: !reason.isEmpty
                }
            })
    }

    /// - Throws: `ValidationError` where the records of a topic do not tell what is asked for, or a reason is none of
    ///   its reasons.
    func check(_ topic: PipelineTopic?, name: String) throws {
        let offered = TailColumns(topic).filters
        if let kind = Kind.allCases.first(where: { kinds.contains($0) && !offered.contains($0) }) {
            let others = Kind.allCases.filter(offered.contains).map { "--\($0.rawValue)" }
            throw ValidationError(
                "Records of \(name) cannot be shown by \(kind.rawValue); "
                    + (others.isEmpty
                        ? "the topic has no filters." : "the topic has \(others.joined(separator: ", "))."))
        }
        let known = Self.reasons(of: topic)
        if let unknown = reason.first(where: { !known.contains($0.uppercased()) }) {
            throw ValidationError(
                "\(unknown) is no reason of \(name); there are \(known.sorted().joined(separator: ", ")).")
        }
    }

    func takes(_ entry: TailEntry) -> Bool {
        if let driver, entry.driver != driver { return false }
        if let trip, !entry.trips.contains(trip) { return false }
        return reason.isEmpty || reason.contains { entry.reasons.contains($0.uppercased()) }
    }

    /// The codes that may come on a topic.
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
