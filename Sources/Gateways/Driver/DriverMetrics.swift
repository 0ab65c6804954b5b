import CoreMetrics

/// Metrics of driver-gateway; used from all event loops.
final class DriverMetrics: Sendable {
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
