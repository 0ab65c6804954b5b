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
    /// Times from sending an event to its acknowledgement.
    let acknowledgements = Timer(.gatewayAcknowledgement)
    let joins = LabeledCounters<JoinOutcome> { Counter(.gatewayJoins, [(.outcome, $0.rawValue)]) }

    init() {
        streams.set(0)
        subscriptions.set(0)
    }
}
