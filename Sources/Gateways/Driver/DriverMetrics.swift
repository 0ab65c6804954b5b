import CoreMetrics

/// What driver-gateway counts; used from all its event loops.
final class DriverMetrics: Sendable {
    /// What became of a device's message.
    enum Outcome: String, CaseIterable {
        case acknowledged, refused, limited, failed
    }

    let sockets = SocketMetrics()
    let unacknowledged = Meter(.gatewayUnacknowledged)
    let warnings = Counter(.gatewayEvents)
    private let messages: [Outcome: Counter]

    init() {
        messages = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map {
                ($0, Counter(.gatewayDeviceMessages, [(.outcome, $0.rawValue)]))
            })
        unacknowledged.set(0)
    }

    func count(_ outcome: Outcome) { messages[outcome]?.increment() }
}
