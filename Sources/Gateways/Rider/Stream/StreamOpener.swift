import NIOCore

/// Opener of event streams as response bodies, each on the event loop of its connection.
final class StreamOpener: Sendable {
    private let registries: [ObjectIdentifier: RiderConnectionRegistry]
    private let sessions = SessionIDs()

    init(_ registries: [RiderConnectionRegistry]) {
        self.registries = Dictionary(uniqueKeysWithValues: registries.map { (ObjectIdentifier($0.loop), $0) })
    }

    /// Opens a stream on a connection and returns the response body.
    /// - Throws: an error of NIO if the client has disconnected.
    func open(
        _ trip: ChannelName, after cursor: ChannelCursor, _ claims: TokenClaims, on channel: any Channel
    ) async throws -> StreamWriter.Body {
        guard let registry = registries[ObjectIdentifier(channel.eventLoop)] else {
            preconditionFailure("The connection's event loop belongs to another group.")
        }
        let id = sessions.next()
        return try await channel.eventLoop.submit {
            let connection = try channel.pipeline.syncOperations.handler(type: QuiesceHandler.self)
            let delegate = StreamBodyDelegate(registry.loop)
            let (body, writer) = StreamWriter.make(delegate, connection)
            let session = StreamSession(sessionID: id, claims: claims, cursor: cursor, body: writer, registry: registry)
            delegate.attach(session)
            registry.add(session)
            session.start()
            connection.begin(session)
            if let user = UserLimits.userID(of: claims) {
                session.register(in: registry.shared.users.requests, user: user)
            }
            // The session is closed already if the gateway is stopping or the user has too many requests.
            if !session.isClosed { session.follow(trip) }
            return body
        }.get()
    }
}

/// Delegate that notifies a stream's session, on its event loop, when the response body needs data or ends.
final class StreamBodyDelegate: NIOAsyncSequenceProducerDelegate {
    private let loop: any EventLoop
    private let session: NIOLoopBoundBox<StreamSession?>

    /// Must be called on `loop`.
    init(_ loop: any EventLoop) {
        self.loop = loop
        session = NIOLoopBoundBox(nil, eventLoop: loop)
    }

    /// Sets the session to notify; must be called on the event loop, before the first write.
    func attach(_ session: StreamSession) { self.session.value = session }

    func produceMore() {
        loop.execute { self.session.value?.bodyNeedsMore() }
    }

    func didTerminate() {
        loop.execute {
            self.session.value?.disconnected()
            self.session.value = nil
        }
    }
}
