import CoreMetrics
import Runtime

/// WebSocket metrics of a gateway; used from all event loops.
final class SocketMetrics: Sendable {
    let connections = Meter(.gatewayConnections)
    let closes = LabeledCounters<SocketCloseCode> { Counter(.gatewayCloses, [(.code, String($0.rawValue))]) }

    init() { connections.set(0) }
}

/// Counters of a metric, one for each value of a label.
struct LabeledCounters<Value: Hashable & CaseIterable & Sendable>: Sendable {
    private let counters: [Value: Counter]

    init(_ counter: (Value) -> Counter) {
        counters = Dictionary(uniqueKeysWithValues: Value.allCases.map { ($0, counter($0)) })
    }

    func increment(_ value: Value) { counters[value]?.increment() }
}
