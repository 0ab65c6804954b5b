/// What an advice follows from.
package enum SamplingReason: Sendable, CaseIterable {
    case noTrip, idle, background, toPickup, onTrip
    /// The interval is longer than it would be with a charged battery.
    case lowBattery

    /// As on the wire.
    package var code: StaticString {
        switch self {
        case .noTrip: "NO_TRIP"
        case .idle: "IDLE"
        case .background: "BACKGROUND"
        case .toPickup: "TO_PICKUP"
        case .onTrip: "ON_TRIP"
        case .lowBattery: "LOW_BATTERY"
        }
    }
}
