import NIOCore

/// Begins streams in answers, each on the event loop of its connection.
final class StreamGate: Sendable {
    private let hubs: [ObjectIdentifier: RiderConnectionRegistry]
    private let sessions = SessionIDs()

    init(_ hubs: [RiderConnectionRegistry]) {
        self.hubs = Dictionary(uniqueKeysWithValues: hubs.map { (ObjectIdentifier($0.loop), $0) })
    }

    /// The body of the answer that has begun on a connection.
    /// - Throws: an error of NIO where the client has gone.
    func open(_ request: StreamRequest, on channel: any Channel) async throws -> StreamWriter.Body {
        guard let hub = hubs[ObjectIdentifier(channel.eventLoop)] else {
            preconditionFailure("A connection lies on an event loop of another group.")
        }
        let id = sessions.next()
        return try await channel.eventLoop.submit { try Self.begin(request, id, hub, channel) }.get()
    }

    private static func begin(
        _ request: StreamRequest, _ id: String, _ hub: RiderConnectionRegistry, _ channel: any Channel
    ) throws -> StreamWriter.Body {
        let connection = try channel.pipeline.syncOperations.handler(type: QuiesceHandler.self)
        let demand = StreamDemand(hub.loop)
        let (body, writer) = StreamWriter.make(demand, connection)
        let session = StreamSession(request, sessionID: id, body: writer, hub: hub)
        demand.begin(session)
        hub.add(session)
        session.began()
        connection.begin(session)
        hub.admit(session)
        // The gateway may stop already.
        if !session.isClosed { session.follow(request.trip) }
        return body
    }
}
