import CoreMetrics

/// WebSocket metrics of a gateway; used from all event loops.
final class SocketMetrics: Sendable {
    let connections = Meter(.gatewayConnections)
    private let closes: [SocketCloseCode: Counter]

    init() {
        closes = Dictionary(
            uniqueKeysWithValues: SocketCloseCode.allCases.map { ($0, Counter(.gatewayCloses, [(.code, $0.label)])) })
        connections.set(0)
    }

    func countClose(_ code: SocketCloseCode) { closes[code]?.increment() }
}
