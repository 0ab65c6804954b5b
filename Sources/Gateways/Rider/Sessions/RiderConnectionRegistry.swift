import Codec
import NIOCore
import Runtime
import Support

/// The clients of one event loop, and what they watch.
///
/// Everything here happens on the loop; there is neither a lock nor a task for a client.
final class RiderConnectionRegistry: ConnectionRegistry, @unchecked Sendable {
    // @unchecked: every function but `init` is called on `loop`, which some of them check.
    private static let tickInterval = TimeAmount.seconds(1)
    /// Ticks between two looks at which partitions write the channels that are watched.
    private static let ticksBetweenLooks = 5

    let loop: any EventLoop
    let settings: RiderGatewaySettings
    let tokens: TokenGate
    private let users: UserLimits
    private let number: Int
    private let intake: PartitionIntake<UpdateIntakeReader>
    private let desk: RedisExecutor
    private let fleet: FleetPublisher
    let metrics: RiderMetrics
    /// Of this loop; what it hands out is valid until its next call.
    let envelopes = RiderUpdateEnvelopeReader()
    private var sessions: [ObjectIdentifier: any ChannelWatching] = [:]
    private var channels: [ChannelName: [Subscription]] = [:]
    private var subscriptions: [Int: Subscription] = [:]
    /// Those who watch the whole fleet; `true` once they have had all drivers.
    private var operators: [ObjectIdentifier: Bool] = [:]
    private var nextID = 0
    private var ticks = 0

    init(
        _ loop: any EventLoop, number: Int, intake: PartitionIntake<UpdateIntakeReader>, desk: RedisExecutor,
        fleet: FleetPublisher, settings: RiderGatewaySettings, tokens: TokenGate, users: UserLimits,
        metrics: RiderMetrics
    ) {
        self.loop = loop
        self.number = number
        self.intake = intake
        self.desk = desk
        self.fleet = fleet
        self.settings = settings
        self.tokens = tokens
        self.users = users
        self.metrics = metrics
    }

    /// Begins the work of every second.
    func start() {
        loop.assertInEventLoop()
        loop.scheduleRepeatedTask(initialDelay: Self.tickInterval, delay: Self.tickInterval) { [weak self] _ in
            self?.tick()
        }
    }

    func open(_ handshake: SocketHandshake) -> any ClientMessageHandler {
        loop.assertInEventLoop()
        let session = RiderSession(handshake, hub: self)
        add(session)
        if case .failure(let refusal) = handshake.verdict {
            session.refuse(refusal)
        } else if let user = UserLimits.named(session.claims) {
            session.hold(in: users.sockets, user: user)
        }
        return session
    }

    /// Counts a stream among the held requests of its user, or refuses it.
    func admit(_ stream: StreamSession) {
        if let user = UserLimits.named(stream.claims) { stream.hold(in: users.requests, user: user) }
    }

    /// Takes in a session whose connection is open.
    func add(_ session: some ChannelWatching) {
        loop.assertInEventLoop()
        sessions[ObjectIdentifier(session)] = session
        session.openConnections.increment()
    }

    func tellClosing() {
        loop.assertInEventLoop()
        for session in sessions.values { session.tellClosing() }
    }

    func close(_ session: some ChannelWatching) {
        guard sessions.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
        session.openConnections.decrement()
        for subscription in session.subscriptions.values { remove(subscription) }
        unwatchFleet(session)
    }

    private func tick() {
        ticks += 1
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        for session in sessions.values { session.tick(now) }
        guard ticks % Self.ticksBetweenLooks == 0 else { return }
        for name in channels.keys { look(at: name) }
    }
}

/// The whole fleet.
extension RiderConnectionRegistry {
    func watchFleet(_ session: RiderSession) {
        if operators.updateValue(false, forKey: ObjectIdentifier(session)) == nil { fleet.beginWatching() }
        fleet.askForAll()
    }

    func unwatchFleet(_ session: some ChannelWatching) {
        if operators.removeValue(forKey: ObjectIdentifier(session)) != nil { fleet.endWatching() }
    }

    /// Shows operators a picture: all of it at first, then what changed.
    func show(_ picture: FleetSnapshot) {
        loop.assertInEventLoop()
        for (id, hadAll) in operators {
            // A client that has come since the picture was made gets all drivers with the next one.
            guard let session = sessions[id], let frame = hadAll ? picture.changes : picture.all else { continue }
            session.send(frame: frame)
            session.flush()
            // A client that takes too little is closed by this, and watches no more.
            if operators[id] != nil { operators[id] = true }
        }
    }
}

/// Subscriptions: from the request to the last update.
extension RiderConnectionRegistry {
    func subscribe(
        _ session: some ChannelWatching, to channel: ChannelName, _ kind: Subscription.Kind, cursor: ChannelCursor,
        requestID: ClientMessage.RequestID?
    ) -> Subscription {
        nextID += 1
        let subscription = Subscription(
            id: nextID, channel: channel, kind: kind, requestID: requestID, session: session, cursor: cursor)
        subscriptions[nextID] = subscription
        channels[channel, default: []].append(subscription)
        metrics.subscriptions.increment()
        take(subscription.join.start, subscription)
        return subscription
    }

    func remove(_ subscription: Subscription) {
        guard subscriptions.removeValue(forKey: subscription.id) != nil else { return }
        metrics.subscriptions.decrement()
        channels[subscription.channel]?.removeAll { $0 === subscription }
        if channels[subscription.channel]?.isEmpty == true { channels[subscription.channel] = nil }
        let watched = subscription.watched
        guard watched.requests > 0 else { return }
        intake.ask(
            .unwatch(
                subscription.channel, loop: number, times: watched.requests, partitions: Array(watched.partitions)))
    }

    /// Starts the subscriptions over that a partition's records reach: its topic was created anew, or has lost its end.
    func restart(_ partition: Int32) {
        loop.assertInEventLoop()
        for subscription in Array(subscriptions.values) where subscription.join.partitions.contains(partition) {
            take(subscription.join.restart(), subscription)
        }
    }

    /// Hands out what a poll brought, and writes to each client once.
    func deliver(_ deliveries: PartitionIntake<UpdateIntakeReader>.Deliveries) {
        loop.assertInEventLoop()
        var touched: [any ChannelWatching] = []
        var pushes = 0
        for delivery in deliveries {
            for subscription in channels[delivery.name] ?? [] {
                guard let frame = subscription.join.deliver(delivery.content.event, delivery.content) else {
                    continue
                }
                let session = subscription.session
                if !session.isTouched { touched.append(session) }
                session.isTouched = true
                session.send(frame, of: subscription)
                pushes += 1
            }
        }
        metrics.events.increment(by: pushes)
        for session in touched {
            session.isTouched = false
            session.flush()
        }
    }

    private func take(_ step: ChannelJoin<EventFrame>.Step, _ subscription: Subscription) {
        switch step {
        case .wait: break
        case .read(let depth, let milliseconds): read(depth, after: milliseconds, subscription)
        case .watch(let starts): watch(starts, subscription)
        case .begin(let beginning):
            metrics.countJoin(beginning.isFullRefresh ? .refreshed : .resumed)
            subscription.session.begin(subscription, beginning)
        case .unknown:
            metrics.countJoin(.unknown)
            subscription.session.fail(subscription, .tripNotFound)
        case .storeBehind:
            metrics.countJoin(.failed)
            subscription.session.fail(subscription, .tryAgain)
        }
    }

    private func read(_ depth: ChannelJoin<EventFrame>.Depth, after milliseconds: Int, _ subscription: Subscription) {
        let entries =
            switch depth {
            case .none: 0
            case .recent: ChannelLookup.recentEntries
            case .all: ChannelLookup.allEntries
            }
        let lookup = ChannelLookup(subscription.channel, entries: entries)
        let id = subscription.id
        guard milliseconds > 0 else { return ask(lookup) { $0.took($1, of: id) } }
        _ = loop.scheduleTask(in: .milliseconds(Int64(milliseconds))) { [self] in
            if subscriptions[id] != nil { ask(lookup) { $0.took($1, of: id) } }
        }
    }

    /// Asks the desk, and has the answer taken on the loop.
    private func ask(
        _ lookup: ChannelLookup,
        _ take: @escaping @Sendable (RiderConnectionRegistry, Result<StoredChannel, StoreUnavailable>) -> Void
    ) {
        desk.read(.init(lookup: lookup) { [self] result in loop.execute { take(self, result) } })
    }

    private func took(_ result: Result<StoredChannel, StoreUnavailable>, of id: Int) {
        guard let subscription = subscriptions[id] else { return }
        let now = Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000)
        switch result {
        case .success(let channel): take(subscription.join.stored(channel, at: now), subscription)
        case .failure: take(subscription.join.storeFailed(), subscription)
        }
    }

    private func watch(_ starts: [Int32: Int64], _ subscription: Subscription) {
        let again = subscription.watched.add(starts.keys)
        let id = subscription.id
        intake.ask(
            .watch(subscription.channel, loop: number, starts: starts.mapValues { .offset($0) }) { [self] offsets in
                guard let subscription = subscriptions[id] else { return }
                take(subscription.join.watched(offsets), subscription)
            })
        // After the new request, so that a partition that is read is not given up in between.
        guard !again.isEmpty else { return }
        intake.ask(.unwatch(subscription.channel, loop: number, times: 1, partitions: again))
    }

    /// Looks whether other partitions write a channel by now, and what has become of a trip that was requested.
    private func look(at name: ChannelName) {
        let needsRequest = channels[name]?.contains { $0.join.isRequested } ?? false
        ask(ChannelLookup(name, entries: 0, needsRequest: needsRequest)) { hub, result in
            guard case .success(let channel) = result else { return }
            for subscription in hub.channels[name] ?? [] {
                hub.take(subscription.join.look(at: channel), subscription)
            }
        }
    }
}
