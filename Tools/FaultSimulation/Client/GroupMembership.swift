import CRdKafka
import Kafka

/// A consumer's membership in its group, as librdkafka's background thread keeps it.
///
/// Every change of the assignment waits in the consumer's queue until the worker polls it, and then for the worker's
/// answer (`assign` and the like).
final class GroupMembership {
    private enum State: Equatable {
        /// Waits for the answer to its request to join.
        case joining
        /// Waits until the worker has answered an assignment.
        case assigning
        /// Waits until the worker has answered a revocation.
        case revoking
        case steady
        /// Left the group, because the worker has not polled for too long; joins again with the next poll.
        case expelled
    }

    private unowned let client: KafkaSimulatedClient
    private let topics: [String]
    private let coordinator: BrokerConnection
    let isCooperative: Bool
    private(set) var memberID = ""
    private(set) var generation = -1
    private var state = State.joining
    private var assignment: [TopicPartition] = []
    private var pending: [TopicPartition] = []
    /// With the cooperative protocol, the assignment that follows a revocation.
    private var addedAfterRevocation: [TopicPartition]?
    private var mustRejoin = false
    /// Whether the group has given the partitions to another member, or may have done so.
    private(set) var isLost = false
    /// Whether the membership ended while a rebalance waits for its answer, which librdkafka handles only afterwards.
    private var isLossPending = false
    private var lastHeartbeat: Int64 = 0
    private var lastPoll: Int64 = 0
    /// Whether the worker has not polled for longer than the poll interval.
    private var isTooSlow = false
    private var attempt = 0

    init(_ client: KafkaSimulatedClient, _ topics: [String]) {
        self.client = client
        self.topics = topics
        let configuration = client.configuration
        isCooperative = configuration.text("partition.assignment.strategy") == "cooperative-sticky"
        coordinator = BrokerConnection(client.process, client.log.link(of: client.process))
    }

    private var world: World { client.world }
    private var sessionTimeout: Int64 { client.configuration.duration("session.timeout.ms") }
    private var pollInterval: Int64 { client.configuration.duration("max.poll.interval.ms") }
    private var group: String { client.configuration.text("group.id") }

    func start() {
        lastPoll = world.now
        coordinator.onOpen = { [weak self] in
            guard let self, !self.client.isGone else { return }
            if state == .joining { join() }
        }
        coordinator.open()
        heartbeat()
    }

    func close(isLeaving: Bool) {
        if isLeaving, !memberID.isEmpty {
            let (id, group) = (memberID, group)
            coordinator.request { [log = client.log] _ in log.group(group).leave(id) }
        }
        coordinator.close(abruptly: false)
    }

    /// Records a poll of the worker.
    func handlePoll() {
        lastPoll = world.now
        isTooSlow = false
        if state == .expelled { join() }
    }

    /// Commits offsets; `respond` is called in the process.
    func commit(_ offsets: [TopicPartition: KafkaCommit], respond: @escaping (rd_kafka_resp_err_t) -> Void) {
        let (id, generation, group) = (memberID, generation, group)
        coordinator.request { [log = client.log] reply in
            let result = log.group(group).commit(offsets, member: id, generation: generation)
            reply { respond(result) }
        }
    }

    /// Connection to the coordinator, for requests about committed offsets.
    var connection: BrokerConnection { coordinator }

    private func join() {
        state = .joining
        attempt += 1
        let attempt = attempt
        let owned = isCooperative && !isLost ? Set(assignment) : []
        let subscription = ConsumerGroup.Subscription(
            topics: topics, isCooperative: isCooperative, owned: owned, sessionTimeout: sessionTimeout,
            rebalanceTimeout: pollInterval)
        let (id, group) = (memberID, group)
        coordinator.request { [log = client.log] reply in
            log.group(group).join(id, subscription) { result in
                reply { [self] in
                    if attempt == self.attempt, state == .joining, !client.isGone { handle(result) }
                }
            }
        }
    }

    private func handle(_ result: ConsumerGroup.JoinResult) {
        switch result {
        case .failed:
            memberID = ""
            // The partitions that the worker still has are lost with the membership.
            if !assignment.isEmpty { return lose() }
            join()
        case .joined(let joined):
            memberID = joined.member
            generation = joined.generation
            lastHeartbeat = world.now
            guard isCooperative else { return enqueueAssignment(joined.assignment) }
            let added = joined.assignment.filter { !assignment.contains($0) }
            let revoked = assignment.filter { !joined.assignment.contains($0) }
            guard !revoked.isEmpty else { return enqueueAssignment(added) }
            addedAfterRevocation = added
            mustRejoin = true
            enqueueRevocation(revoked)
        }
    }

    private func enqueueAssignment(_ partitions: [TopicPartition]) {
        state = .assigning
        pending = partitions
        client.queue.append(.rebalance(RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS, partitions))
    }

    private func enqueueRevocation(_ partitions: [TopicPartition]) {
        state = .revoking
        pending = partitions
        client.queue.append(.rebalance(RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS, partitions))
    }

    /// Handles a call that librdkafka interprets as the answer to the waiting rebalance.
    func handleAnswer(added: [TopicPartition], isComplete: Bool) {
        switch state {
        case .joining, .steady, .expelled: return
        case .assigning:
            assignment = isCooperative ? assignment + pending.filter { !assignment.contains($0) } : pending
            state = .steady
            if isLossPending { return revokeLost() }
            if mustRejoin { rejoin() }
        case .revoking:
            assignment.removeAll { pending.contains($0) }
            if assignment.isEmpty { isLost = false }
            if isLossPending { return revokeLost() }
            if let added = addedAfterRevocation {
                addedAfterRevocation = nil
                return enqueueAssignment(added)
            }
            rejoin()
        }
    }

    private func rejoin() {
        mustRejoin = false
        join()
    }

    private func heartbeat() {
        let interval = client.configuration.duration("heartbeat.interval.ms")
        client.schedule(after: interval) { [self] in
            heartbeat()
            checkSession()
            guard !memberID.isEmpty, state != .joining, state != .expelled else { return }
            let (id, generation, group) = (memberID, generation, group)
            coordinator.request { [log = client.log] reply in
                let result = log.group(group).heartbeat(id, generation: generation)
                reply { [self] in handleHeartbeat(result, id, generation) }
            }
        }
    }

    private func handleHeartbeat(_ result: rd_kafka_resp_err_t, _ id: String, _ generation: Int) {
        guard !client.isGone, id == memberID, generation == self.generation else { return }
        switch result {
        case RD_KAFKA_RESP_ERR_NO_ERROR: lastHeartbeat = world.now
        case RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS:
            lastHeartbeat = world.now
            beginRebalance()
        default:
            memberID = ""
            lose()
        }
    }

    /// Joins the next generation, after the partitions are revoked if the protocol requires it.
    private func beginRebalance() {
        switch state {
        case .joining, .expelled: return
        case .assigning, .revoking: mustRejoin = true
        case .steady:
            if isCooperative || assignment.isEmpty { return join() }
            enqueueRevocation(assignment)
        }
    }

    private func checkSession() {
        if !isTooSlow, world.now - lastPoll > pollInterval { return expel() }
        guard !memberID.isEmpty, state != .joining, world.now - lastHeartbeat > sessionTimeout else { return }
        world.trace.add("\(client.process.name) finds its session expired")
        memberID = ""
        lose()
    }

    /// Leaves the group, because the worker has not polled for too long.
    private func expel() {
        world.trace.add("\(client.process.name) has not polled for too long")
        isTooSlow = true
        let (id, group) = (memberID, group)
        coordinator.request { [log = client.log] _ in log.group(group).leave(id) }
        memberID = ""
        client.queue.append(.problem(RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED))
        if assignment.isEmpty, state == .steady || state == .joining {
            generation = -1
            state = .expelled
        } else {
            lose()
        }
    }

    /// Handles the end of the membership; if a rebalance waits for its answer, afterwards.
    private func lose() {
        generation = -1
        switch state {
        case .assigning, .revoking: isLossPending = true
        case .joining, .steady, .expelled: revokeLost()
        }
    }

    /// Revokes the partitions, which another member may have by now.
    private func revokeLost() {
        isLossPending = false
        addedAfterRevocation = nil
        if assignment.isEmpty { return join() }
        isLost = true
        enqueueRevocation(assignment)
    }
}
