/// A client's subscription to one channel; use only on the client's event loop.
final class Subscription {
    /// Request that started the subscription, which determines the response.
    enum Kind {
        case subscribe
        /// `clientState`: the trip state that the client shows.
        case reconnect(clientState: String?)
    }

    /// Unique within the event loop.
    let id: Int
    let channel: ChannelName
    let kind: Kind
    let requestID: ClientMessage.RequestID?
    unowned let session: any ChannelSubscriber
    /// The client's cursor when it subscribed.
    let cursor: ChannelCursor
    var join: ChannelJoin<EventFrame>
    /// `nil` if the client does not acknowledge events.
    var unacknowledged: UnacknowledgedEvents?
    var watched = WatchedPartitions()

    init(
        id: Int, channel: ChannelName, kind: Kind, requestID: ClientMessage.RequestID?, session: any ChannelSubscriber,
        cursor: ChannelCursor
    ) {
        self.id = id
        self.channel = channel
        self.kind = kind
        self.requestID = requestID
        self.session = session
        self.cursor = cursor
        join = ChannelJoin(cursor: cursor, needsEntries: channel.kind == .route)
    }
}

/// Partitions that a subscription watches, and a count of its requests, so that each is withdrawn once.
struct WatchedPartitions {
    private(set) var partitions: Set<Int32> = []
    /// Watch requests to withdraw when the subscription ends.
    private(set) var requests = 0

    /// Counts a request to watch `new`.
    /// - Returns: the partitions that were watched already, for which the caller withdraws one request now.
    mutating func add(_ new: some Collection<Int32>) -> [Int32] {
        let repeated = partitions.intersection(new)
        partitions.formUnion(new)
        if repeated.isEmpty { requests += 1 }
        return repeated.sorted()
    }
}
