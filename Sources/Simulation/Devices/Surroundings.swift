/// Distinguishes what stands beside the road where a fix is measured.
package enum Surroundings: String, Sendable, CaseIterable {
    case openRoad = "open_road"
    /// High buildings hide satellites and reflect their signals.
    case streetCanyon = "street_canyon"
}
