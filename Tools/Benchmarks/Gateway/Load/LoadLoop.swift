import NIOCore
import NIOPosix

/// The clients of a load on one event loop.
final class LoadLoop: @unchecked Sendable {
    // @unchecked: everything but `init` happens on `loop`.
    /// Sockets that are being opened at a time, so that the first ones are no storm.
    private static let maximumOpening = 128
    /// A client waits a random time before it connects again: up to this, doubling with each attempt, in seconds.
    private static let shortestWait = 0.5
    private static let longestWait = 15.0

    let loop: any EventLoop
    let handshake: ByteBuffer
    var totals = LoadTotals()
    private let port: Int
    private var clients: [LoadClient] = []
    private var unopened: ArraySlice<LoadClient> = []
    /// Of the first sockets, those that have no subscription yet.
    private var opening: Set<ObjectIdentifier> = []
    private var isClosed = false

    init(_ loop: any EventLoop, _ target: LoadTarget) {
        self.loop = loop
        port = target.port
        handshake = ByteBuffer(string: target.handshake)
    }

    /// Opens a socket for each of `channels`.
    func open(_ channels: [String]) {
        clients = channels.map { LoadClient($0, load: self) }
        unopened = clients[...]
        openNext()
    }

    /// Cuts all connections, and opens no other.
    func close() {
        isClosed = true
        unopened = []
        for client in clients { client.cut() }
    }

    func subscribed(_ client: LoadClient, isResumed: Bool) {
        totals.subscribed += 1
        if isResumed { totals.resumed += 1 } else { totals.refreshed += 1 }
        opened(client)
    }

    func ended(_ client: LoadClient, wasSubscribed: Bool) {
        if wasSubscribed { totals.subscribed -= 1 }
        totals.ended += 1
        opened(client)
        connectAgain(client)
    }

    private func opened(_ client: LoadClient) {
        if opening.remove(ObjectIdentifier(client)) != nil { openNext() }
    }

    private func openNext() {
        while opening.count < Self.maximumOpening, let client = unopened.popFirst() {
            opening.insert(ObjectIdentifier(client))
            connect(client)
        }
    }

    private func connectAgain(_ client: LoadClient) {
        guard !isClosed else { return }
        let longest = min(Self.longestWait, Self.shortestWait * Double(1 << min(client.attempts - 1, 10)))
        let wait = TimeAmount.microseconds(Int64(Double.random(in: 0...longest) * 1e6))
        let client = NIOLoopBound(client, eventLoop: loop)
        loop.scheduleTask(in: wait) { [self] in connect(client.value) }
    }

    private func connect(_ client: LoadClient) {
        guard !isClosed else { return }
        let bound = NIOLoopBound(client, eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(bound.value) }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenFailure { [self] _ in
                totals.failedAttempts += 1
                bound.value.failed()
                opened(bound.value)
                connectAgain(bound.value)
            }
    }
}
