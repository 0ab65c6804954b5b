/// How much clients did, for the report of what they received.
struct ReceivedTotals: Equatable, Encodable {
    private enum CodingKeys: String, CodingKey {
        case clients, connections, channels
        case fullRefreshes = "full_refreshes"
    }

    var clients = 0
    var connections = 0
    /// Channels that a client was subscribed to, counted once for each client.
    var channels = 0
    /// How often a client got a channel's state in full in place of the events since it was there last.
    var fullRefreshes = 0

    static func += (left: inout ReceivedTotals, right: ReceivedTotals) {
        left.clients += right.clients
        left.connections += right.connections
        left.channels += right.channels
        left.fullRefreshes += right.fullRefreshes
    }

    /// A line of the report for people.
    var text: String {
        let parts = [
            Noun("client").count(clients), Noun("connection").count(connections),
            Noun("subscribed channel").count(channels),
            "\(fullRefreshes) \(fullRefreshes == 1 ? "state" : "states") in full after the first",
        ]
        return parts.joined(separator: ", ")
    }
}
