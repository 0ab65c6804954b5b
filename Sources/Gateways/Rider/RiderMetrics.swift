import CoreMetrics

/// What rider-gateway counts; used from all its event loops.
final class RiderMetrics: Sendable {
    /// How a subscription began.
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

    /// An event has been acknowledged so many milliseconds after it was told.
    func countAcknowledgement(after milliseconds: Int64) { acknowledgements.recordMilliseconds(milliseconds) }

    func countJoin(_ outcome: JoinOutcome) { joins[outcome]?.increment() }
}
