/// Receiver and environment of a fix.
package struct ReceptionConditions: Hashable, Sendable {
    package var receiver: ReceiverKind
    package var environment: RoadEnvironment

    /// All combinations, in the order in which the accuracy report lists them.
    package static let all = ReceiverKind.allCases.flatMap { receiver in
        RoadEnvironment.allCases.map { ReceptionConditions(receiver: receiver, environment: $0) }
    }
}

/// Kind of a receiver, by its computation of positions.
package enum ReceiverKind: String, Sendable, CaseIterable {
    /// Filters positions, as phones do; the error changes slowly, so that smoothing gains little.
    case phone
    /// Reports unfiltered positions, as trackers do: with independent noise per fix and full shifts by reflections.
    case raw
}

/// Reception at the road where a fix is measured.
package enum RoadEnvironment: String, Sendable, CaseIterable {
    case openRoad = "open_road"
    /// High buildings block and reflect satellite signals.
    case streetCanyon = "street_canyon"
}
