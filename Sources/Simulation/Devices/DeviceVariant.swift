/// Distinguishes honest devices whose peculiarities resemble faults or forgeries.
package enum DeviceVariant: String, Sendable, CaseIterable {
    case usual
    /// Rounds coordinates to four decimals, about 11 m.
    case coarseCoordinates = "coarse_coordinates"
    /// Sends a fix every 20 to 300 s, also on a trip.
    case rareReports = "rare_reports"
    /// Sends no session id, restarts every few minutes and numbers its fixes from 0 again.
    case restartsWithoutSession = "restarts_without_session"
    /// Sends records again with rounded coordinates and times cut to seconds, as a phone's store keeps them.
    case roundedRetries = "rounded_retries"
    /// Numbers fixes with 8 or 16 bits, and has no network at some of the wraps.
    case wrappingCounter = "wrapping_counter"

    /// All but the usual one.
    package static let peculiar = allCases.filter { $0 != .usual }
}
