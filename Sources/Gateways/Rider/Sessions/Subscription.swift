/// A client's interest in one channel.
///
/// Belongs to the client's event loop.
final class Subscription {
    /// What the client asked by, which decides what it is answered.
    enum Kind {
        case subscribe
        /// `reconnect`, with the state of the trip that the client shows.
        case reconnect(clientState: String?)
    }

    /// Unique within the event loop.
    let id: Int
    let channel: ChannelName
    let kind: Kind
    let requestID: ClientMessage.RequestID?
    unowned let session: any ChannelWatching
    let cursor: ChannelCursor
    var join: ChannelJoin<EventFrame>
    /// What the client has yet to acknowledge; `nil` where it does not acknowledge events.
    var unacknowledged: UnacknowledgedEvents?
    var watched = WatchedPartitions()

    init(
        id: Int, channel: ChannelName, kind: Kind, requestID: ClientMessage.RequestID?, session: any ChannelWatching,
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
