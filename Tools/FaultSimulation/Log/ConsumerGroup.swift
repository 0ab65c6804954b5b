import CRdKafka
import Kafka

/// Coordinator of one consumer group, with the classic protocol of Kafka.
///
/// The coordinator also computes the assignment, which in Kafka one of the members does.
final class ConsumerGroup {
    struct Joined {
        var member: String
        var generation: Int
        var assignment: [TopicPartition]
    }

    enum JoinResult {
        case joined(Joined)
        case failed(rd_kafka_resp_err_t)
    }

    struct Subscription {
        var topics: [String]
        var isCooperative: Bool
        /// Partitions that the member still has; only with the cooperative protocol.
        var owned: Set<TopicPartition>
        var sessionTimeout: Int64
        var rebalanceTimeout: Int64
    }

    private final class Member {
        var subscription: Subscription
        var lastSeen: Int64
        /// Answers the member's request to join; `nil` if it has not joined the next generation.
        var join: ((JoinResult) -> Void)?

        init(_ subscription: Subscription, _ now: Int64) {
            self.subscription = subscription
            lastSeen = now
        }
    }

    /// Wait for more members after the first one has joined (`group.initial.rebalance.delay.ms`).
    private static let initialDelay = Int64.milliseconds(500)

    let name: String
    private unowned let log: SimulatedLog
    private var members: [String: Member] = [:]
    private var memberCount = 0
    private(set) var generation = 0
    private var isRebalancing = false
    private var commits: [TopicPartition: KafkaCommit] = [:]

    init(_ name: String, _ log: SimulatedLog) {
        self.name = name
        self.log = log
    }

    private var world: World { log.world }

    func join(_ id: String, _ subscription: Subscription, respond: @escaping (JoinResult) -> Void) {
        var id = id
        if id.isEmpty {
            memberCount += 1
            id = "\(name)-\(memberCount)"
            members[id] = Member(subscription, world.now)
            watch(id)
        }
        guard let member = members[id] else { return respond(.failed(RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID)) }
        member.subscription = subscription
        member.lastSeen = world.now
        member.join = respond
        let isFirst = members.count == 1 && generation == 0
        beginRebalance()
        if isFirst {
            world.schedule(after: Self.initialDelay) { [self] in completeIfReady() }
        } else if generation > 0 || !isRebalancing {
            completeIfReady()
        }
    }

    func heartbeat(_ id: String, generation: Int) -> rd_kafka_resp_err_t {
        guard let member = members[id] else { return RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID }
        guard generation == self.generation else { return RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION }
        member.lastSeen = world.now
        return isRebalancing ? RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS : RD_KAFKA_RESP_ERR_NO_ERROR
    }

    func leave(_ id: String) {
        guard members[id] != nil else { return }
        remove(id, "leaves")
    }

    func commit(
        _ offsets: [TopicPartition: KafkaCommit], member: String, generation: Int
    ) -> rd_kafka_resp_err_t {
        guard members[member] != nil else { return RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID }
        guard generation == self.generation else { return RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION }
        for (partition, commit) in offsets { commits[partition] = commit }
        world.trace.add(
            "\(member) commits \(offsets.map { "\($0.key) \($0.value.offset)" }.sorted().joined(separator: ", "))")
        return RD_KAFKA_RESP_ERR_NO_ERROR
    }

    func committed(_ partition: TopicPartition) -> KafkaCommit? { commits[partition] }

    private func beginRebalance() {
        guard !isRebalancing else { return }
        isRebalancing = true
        let limit = members.values.map(\.subscription.rebalanceTimeout).max() ?? 0
        let generation = generation
        world.schedule(after: limit) { [self] in
            guard isRebalancing, generation == self.generation else { return }
            for id in members.keys.sorted() where members[id]?.join == nil { members[id] = nil }
            complete()
        }
    }

    private func completeIfReady() {
        if isRebalancing, members.values.allSatisfy({ $0.join != nil }) { complete() }
    }

    private func complete() {
        isRebalancing = false
        generation += 1
        guard !members.isEmpty else { return }
        let assignment = assign()
        world.trace.add(
            "\(name) generation \(generation): "
                + members.keys.sorted().map { "\($0) \((assignment[$0] ?? []).map(\.description))" }
                .joined(separator: ", "))
        for id in members.keys.sorted() {
            guard let member = members[id], let respond = member.join else { continue }
            member.join = nil
            member.lastSeen = world.now
            respond(.joined(Joined(member: id, generation: generation, assignment: assignment[id] ?? [])))
        }
    }

    private func assign() -> [String: [TopicPartition]] {
        let topics = Set(members.values.flatMap(\.subscription.topics)).sorted()
        let counts = topics.map { (topic: $0, partitions: log.partitionCount(of: $0) ?? 0) }
        if members.values.allSatisfy(\.subscription.isCooperative) {
            return Assignor.cooperative(owned: members.mapValues(\.subscription.owned), counts: counts)
        }
        return Assignor.range(members: Array(members.keys), counts: counts)
    }

    /// Removes the member when its session ends.
    private func watch(_ id: String) {
        guard let member = members[id] else { return }
        let timeout = member.subscription.sessionTimeout
        // While a member waits for the generation, its request keeps the session.
        let left = member.join != nil ? timeout : member.lastSeen + timeout - world.now
        if left <= 0 { return remove(id, "has timed out") }
        world.schedule(after: left) { [self] in watch(id) }
    }

    private func remove(_ id: String, _ reason: String) {
        world.trace.add("\(id) \(reason)")
        members[id] = nil
        guard !members.isEmpty else { return isRebalancing = false }
        beginRebalance()
        completeIfReady()
    }
}
