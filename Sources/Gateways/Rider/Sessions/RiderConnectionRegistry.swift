import Codec
import NIOCore
import Runtime
import Support

/// Parts of the gateway that the registries of all event loops share.
struct RiderShared: Sendable {
    let settings: RiderGatewaySettings
    let tokens: TokenVerifier
    let intake: PartitionIntake<RiderUpdateExtractor>
    let store: RedisExecutor
    let fleet: FleetPublisher
    let users: UserLimits
    let metrics = RiderMetrics()
}

/// Clients of one event loop and their subscriptions.
///
/// Runs only on the event loop, without locks or tasks per client.
final class RiderConnectionRegistry: ConnectionRegistry, @unchecked Sendable {
    // @unchecked: every function except `init` is called on `loop`, which some of them assert.
    private static let ticksBetweenRechecks = 5

    let loop: any EventLoop
    let shared: RiderShared
    private let number: Int
    /// Reader whose results are valid until its next call.
    let envelopes = RiderUpdateEnvelopeReader()
    private var sessions: [ObjectIdentifier: any ChannelSubscriber] = [:]
    private var channels: [ChannelName: [Subscription]] = [:]
    private var subscriptions: [Int: Subscription] = [:]
    /// Subscribers of the fleet; `true` once they have received all drivers.
    private var fleetSubscribers: [ObjectIdentifier: Bool] = [:]
    private var nextID = 0
    private var ticks = 0

    init(_ loop: any EventLoop, number: Int, _ shared: RiderShared) {
        self.loop = loop
        self.number = number
        self.shared = shared
    }

    var metrics: RiderMetrics { shared.metrics }

    func open(_ handshake: SocketHandshake) -> any ClientMessageHandler {
        loop.assertInEventLoop()
        let session = RiderSession(handshake, registry: self)
        add(session)
        if case .failure(let refusal) = handshake.verification {
            session.refuse(refusal)
        } else if let user = UserLimits.userID(of: session.claims) {
            session.register(in: shared.users.sockets, user: user)
        }
        return session
    }

    func add(_ session: some ChannelSubscriber) {
        loop.assertInEventLoop()
        sessions[ObjectIdentifier(session)] = session
        session.openConnections.increment()
    }

    func notifyShutdown() {
        loop.assertInEventLoop()
        for session in sessions.values { session.notifyShutdown() }
    }

    /// Removes a session that has ended, with its subscriptions.
    func close(_ session: some ChannelSubscriber) {
        guard sessions.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
        session.openConnections.decrement()
        for subscription in session.subscriptions.values { remove(subscription) }
        unsubscribeFromFleet(session)
        session.subscriptions = [:]
    }

    func tick() {
        ticks += 1
        let now = Timestamp(milliseconds: WallClock.milliseconds())
        for session in sessions.values { session.tick(now) }
        guard ticks % Self.ticksBetweenRechecks == 0 else { return }
        for name in channels.keys { recheck(name) }
    }
}

extension RiderConnectionRegistry {
    func subscribeToFleet(_ session: RiderSession) {
        if fleetSubscribers.updateValue(false, forKey: ObjectIdentifier(session)) == nil {
            shared.fleet.addSubscriber()
        }
        shared.fleet.requestFullSnapshot()
    }

    func unsubscribeFromFleet(_ session: some ChannelSubscriber) {
        if fleetSubscribers.removeValue(forKey: ObjectIdentifier(session)) != nil { shared.fleet.removeSubscriber() }
    }

    /// Sends all drivers to new subscribers of the fleet, and changes to the others.
    func publish(_ snapshot: FleetSnapshot) {
        loop.assertInEventLoop()
        for (id, hasAll) in fleetSubscribers {
            // If the client subscribed after this snapshot was made, the next snapshot has all drivers.
            guard let session = sessions[id], let frame = hasAll ? snapshot.changes : snapshot.all else { continue }
            session.send(frame: frame)
            session.flush()
            // Sending may have closed and removed a client that reads too slowly.
            if fleetSubscribers[id] != nil { fleetSubscribers[id] = true }
        }
    }
}

extension RiderConnectionRegistry {
    func subscribe(
        _ session: some ChannelSubscriber, to channel: ChannelName, _ kind: Subscription.Kind, cursor: ChannelCursor,
        requestID: ClientMessage.RequestID?
    ) -> Subscription {
        nextID += 1
        let subscription = Subscription(
            id: nextID, channel: channel, kind: kind, requestID: requestID, session: session, cursor: cursor)
        subscriptions[nextID] = subscription
        channels[channel, default: []].append(subscription)
        metrics.subscriptions.increment()
        perform(subscription.join.start, subscription)
        return subscription
    }

    func remove(_ subscription: Subscription) {
        guard subscriptions.removeValue(forKey: subscription.id) != nil else { return }
        metrics.subscriptions.decrement()
        channels[subscription.channel]?.removeAll { $0 === subscription }
        if channels[subscription.channel]?.isEmpty == true { channels[subscription.channel] = nil }
        let watched = subscription.watched
        guard watched.requests > 0 else { return }
        shared.intake.submit(
            .unwatch(
                subscription.channel, loop: number, count: watched.requests, partitions: Array(watched.partitions)))
    }

    /// Joins all subscriptions of a partition again, because its topic was recreated or truncated.
    func restart(_ partition: Int32) {
        loop.assertInEventLoop()
        for subscription in Array(subscriptions.values) where subscription.join.partitions.contains(partition) {
            perform(subscription.join.restart(), subscription)
        }
    }

    /// Sends the records of a poll to their subscribers, and flushes each connection once.
    func deliver(_ deliveries: PartitionIntake<RiderUpdateExtractor>.Deliveries) {
        loop.assertInEventLoop()
        var unflushed: [any ChannelSubscriber] = []
        var sent = 0
        for delivery in deliveries {
            for subscription in channels[delivery.name] ?? [] {
                guard let frame = subscription.join.deliver(delivery.content.event, delivery.content) else {
                    continue
                }
                let session = subscription.session
                if !session.needsFlush { unflushed.append(session) }
                session.needsFlush = true
                session.send(frame, of: subscription)
                sent += 1
            }
        }
        metrics.events.increment(by: sent)
        for session in unflushed {
            session.needsFlush = false
            session.flush()
        }
    }

    private func perform(_ step: ChannelJoin<EventFrame>.Step, _ subscription: Subscription) {
        switch step {
        case .wait: break
        case .read(let depth, let milliseconds): read(depth, after: milliseconds, subscription)
        case .watch(let starts): watch(starts, subscription)
        case .joined(let initial):
            metrics.joins.increment(initial.isFullSnapshot ? .refreshed : .resumed)
            subscription.session.begin(subscription, initial)
        case .unknown:
            metrics.joins.increment(.unknown)
            subscription.session.fail(subscription, .tripNotFound)
        case .failed:
            metrics.joins.increment(.failed)
            subscription.session.fail(subscription, .tryAgain)
        }
    }

    private func read(_ depth: ChannelJoin<EventFrame>.Depth, after milliseconds: Int, _ subscription: Subscription) {
        let lookup = ChannelLookup(subscription.channel, depth)
        let id = subscription.id
        guard milliseconds > 0 else { return read(lookup) { $0.didRead($1, id) } }
        _ = loop.scheduleTask(in: .milliseconds(Int64(milliseconds))) { [self] in
            if subscriptions[id] != nil { read(lookup) { $0.didRead($1, id) } }
        }
    }

    /// Reads a channel from the store; `completion` is called on the event loop.
    private func read(
        _ lookup: ChannelLookup,
        _ completion: @escaping @Sendable (RiderConnectionRegistry, Result<StoredChannel, StoreUnavailable>) -> Void
    ) {
        shared.store.read(lookup) { [self] result in loop.execute { completion(self, result) } }
    }

    private func didRead(_ result: Result<StoredChannel, StoreUnavailable>, _ id: Int) {
        guard let subscription = subscriptions[id] else { return }
        let now = Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000)
        switch result {
        case .success(let channel): perform(subscription.join.didRead(channel, at: now), subscription)
        case .failure: perform(subscription.join.didFailToRead(), subscription)
        }
    }

    private func watch(_ starts: [Int32: Int64], _ subscription: Subscription) {
        let repeated = subscription.watched.add(starts.keys)
        let id = subscription.id
        shared.intake.submit(
            .watch(subscription.channel, loop: number, starts: starts.mapValues { .offset($0) }) { [self] offsets in
                guard let subscription = subscriptions[id] else { return }
                perform(subscription.join.didWatch(offsets), subscription)
            })
        // Submitted after the new request, so that the partitions are watched without interruption.
        guard !repeated.isEmpty else { return }
        shared.intake.submit(.unwatch(subscription.channel, loop: number, count: 1, partitions: repeated))
    }

    /// Finds new partitions of a channel, and changes of a requested trip.
    private func recheck(_ name: ChannelName) {
        let needsRequest = channels[name]?.contains { $0.join.isRequested } ?? false
        read(ChannelLookup(name, .none, needsRequest: needsRequest)) { registry, result in
            guard case .success(let channel) = result else { return }
            for subscription in registry.channels[name] ?? [] {
                registry.perform(subscription.join.recheck(channel), subscription)
            }
        }
    }
}
