/// Distinguishes receivers by how they compute positions.
package enum ReceiverKind: String, Sendable, CaseIterable {
    /// Filters positions, as phones do: the error changes slowly, and smoothing has little to average.
    case phone
    /// Reports single point positions, as trackers do: each fix has noise of its own, and reflections show in full.
    case raw
}
