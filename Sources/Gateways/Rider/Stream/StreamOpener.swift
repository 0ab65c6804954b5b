import NIOCore

/// Opens event streams as response bodies, each on the event loop of its connection.
final class StreamOpener: Sendable {
    private let registries: [ObjectIdentifier: RiderConnectionRegistry]
    private let sessions = SessionIDs()

    init(_ registries: [RiderConnectionRegistry]) {
        self.registries = Dictionary(uniqueKeysWithValues: registries.map { (ObjectIdentifier($0.loop), $0) })
    }

    /// Opens a stream on a connection and returns the response body.
    /// - Throws: an error of NIO if the client has disconnected.
    func open(_ request: StreamRequest, on channel: any Channel) async throws -> StreamWriter.Body {
        guard let registry = registries[ObjectIdentifier(channel.eventLoop)] else {
            preconditionFailure("The connection's event loop belongs to another group.")
        }
        let id = sessions.next()
        return try await channel.eventLoop.submit { try Self.open(request, id, registry, channel) }.get()
    }

    private static func open(
        _ request: StreamRequest, _ id: String, _ registry: RiderConnectionRegistry, _ channel: any Channel
    ) throws -> StreamWriter.Body {
        let connection = try channel.pipeline.syncOperations.handler(type: QuiesceHandler.self)
        let delegate = StreamBodyDelegate(registry.loop)
        let (body, writer) = StreamWriter.make(delegate, connection)
        let session = StreamSession(request, sessionID: id, body: writer, registry: registry)
        delegate.attach(session)
        registry.add(session)
        session.start()
        connection.begin(session)
        registry.admit(session)
        // Closed already if the gateway is stopping or the user has too many requests.
        if !session.isClosed { session.follow(request.trip) }
        return body
    }
}
