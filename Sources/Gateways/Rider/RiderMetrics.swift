import CoreMetrics

/// Metrics of rider-gateway, shared by all its event loops.
final class RiderMetrics: Sendable {
    enum JoinOutcome: String, CaseIterable {
        case resumed, refreshed, unknown, failed
    }

    let sockets = SocketMetrics()
    let streams = Meter(.gatewayStreams)
    let subscriptions = Meter(.gatewaySubscriptions)
    let events = Counter(.gatewayEvents)
    private let acknowledgements = Timer(.gatewayAcknowledgement)
    private let joins: [JoinOutcome: Counter]

    init() {
        joins = Dictionary(
            uniqueKeysWithValues: JoinOutcome.allCases.map { ($0, Counter(.gatewayJoins, [(.outcome, $0.rawValue)])) })
        streams.set(0)
        subscriptions.set(0)
    }

    /// Records an acknowledgement; `milliseconds`: the time since the event was sent.
    func countAcknowledgement(after milliseconds: Int64) { acknowledgements.recordMilliseconds(milliseconds) }

    func countJoin(_ outcome: JoinOutcome) { joins[outcome]?.increment() }
}
