import Support

/// A part of a route and how long it took to drive.
package struct DrivenStretch: Sendable, Equatable {
    package var fromMeters: Double
    package var toMeters: Double
    package var seconds: Double
    /// Those of ``seconds`` that belong to the road: not those of a break; see ``StandingBudget``.
    package var countedSeconds: Double
    /// What the plan says it takes, with the stops on it.
    package var plannedSeconds = 0.0
    /// When its end was reached.
    package var at: Timestamp
}
