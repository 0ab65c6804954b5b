import CoreMetrics
import Pipeline
import Telemetry

/// What a gateway counts; used from all its event loops.
final class GatewayMetrics: Sendable {
    /// How a subscription began.
    enum JoinOutcome: String, CaseIterable {
        case resumed, refreshed, unknown, failed
    }

    let connections = Meter(.gatewayConnections)
    let subscriptions = Meter(.gatewaySubscriptions)
    let events = Counter(.gatewayEvents)
    private let joins: [JoinOutcome: Counter]
    private let closes: [SocketCloseCode: Counter]

    init() {
        joins = Dictionary(
            uniqueKeysWithValues: JoinOutcome.allCases.map { ($0, Counter(.gatewayJoins, [(.outcome, $0.rawValue)])) })
        closes = Dictionary(
            uniqueKeysWithValues: SocketCloseCode.allCases.map { ($0, Counter(.gatewayCloses, [(.code, $0.label)])) })
        connections.set(0)
        subscriptions.set(0)
    }

    func countJoin(_ outcome: JoinOutcome) { joins[outcome]?.increment() }

    func countClose(_ code: SocketCloseCode) { closes[code]?.increment() }
}
