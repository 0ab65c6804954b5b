import TestSupport

@testable import ClientAudit
@testable import Domain

/// A client that receives random traffic correctly: it subscribes, reconnects, resumes, or gets full snapshots.
struct RandomClient {
    /// A received event with its position in the log.
    struct LoggedEvent {
        var line: Int
        var channel: String
        var event: EventID
        var connection: Int
        /// The number of earlier full snapshots of the channel.
        var snapshots: Int
        /// Whether the event is a message of its own, not part of a state_sync.
        var isSingle: Bool
    }

    private(set) var traffic = ReceivedTraffic()
    /// Every event that the client received, in the order of the log.
    private(set) var loggedEvents: [LoggedEvent] = []
    private(set) var fullSnapshots = 0
    private var random: SeededGenerator
    private let channels = ["trip:a", "trip:b", "route:1"]
    private let partitions: [Int32] = [0, 1, 7]
    /// The events of the topic, by channel and partition.
    private var events: [String: [Int32: [EventID]]] = [:]
    /// Maximum number of published events of each channel, by partition.
    private var published: [Int32: Int] = [:]
    /// Number of events before the client's cursor, by channel and partition.
    private var progress: [String: [Int32: Int]] = [:]
    private var snapshots: [String: Int] = [:]
    private var subscribed: Set<String> = []
    private var connection = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        publishAll()
        connect()
        for _ in 0..<Int.random(in: 50...250, using: &random) { act() }
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func pick<Element>(_ list: [Element]) -> Element {
        list[Int.random(in: list.indices, using: &random)]
    }

    /// Fills the topic with events of both origins, and repeats some.
    private mutating func publishAll() {
        for partition in partitions {
            var next: [EventID.Origin: Int64] = [.raw: 0, .trips: 0]
            for _ in 0..<Int.random(in: 30...90, using: &random) {
                let origin: EventID.Origin = chance(80) ? .raw : .trips
                next[origin, default: 0] += Int64.random(in: 1...3, using: &random)
                let event = EventID(origin: origin, partition: partition, offset: next[origin] ?? 0)
                let channel = pick(channels)
                events[channel, default: [:]][partition, default: []].append(event)
                traffic.publish(event, in: channel)
                if chance(5), let records = traffic.topic[partition], !records.isEmpty {
                    let first = Int.random(in: max(0, records.count - 8)..<records.count, using: &random)
                    traffic.topic[partition] = records + records[first...]
                }
            }
        }
    }

    private mutating func act() {
        if chance(20) {
            let partition = pick(partitions)
            published[partition, default: 0] += Int.random(in: 1...6, using: &random)
        } else if chance(8) {
            connect()
        } else if chance(15), let channel = channels.filter({ !subscribed.contains($0) }).randomElement(using: &random)
        {
            join(channel)
        } else if let channel = subscribed.sorted().randomElement(using: &random) {
            deliver(channel, pick(partitions))
        }
    }

    private mutating func connect() {
        connection += 1
        subscribed = []
        traffic.connect()
    }

    /// Returns the published events of a channel in a partition.
    private func available(_ channel: String, _ partition: Int32) -> ArraySlice<EventID> {
        let all = events[channel]?[partition] ?? []
        return all.prefix(published[partition] ?? 0)
    }

    /// Returns the cursor after the first `counts` events of a channel.
    private func cursor(_ channel: String, _ counts: [Int32: Int]) -> [String] {
        partitions.flatMap { partition in
            var watermark = Watermark()
            for event in (events[channel]?[partition] ?? []).prefix(counts[partition] ?? 0) {
                watermark.advance(to: event)
            }
            return [watermark.raw, watermark.trips].compactMap { $0?.description }
        }
    }

    private mutating func join(_ channel: String) {
        subscribed.insert(channel)
        let now = Dictionary(uniqueKeysWithValues: partitions.map { ($0, available(channel, $0).count) })
        let isFirst = progress[channel] == nil
        if isFirst {
            progress[channel] = now.mapValues { $0 > 0 ? Int.random(in: 0...$0, using: &random) : 0 }
        }
        if chance(30) {
            if !isFirst { (fullSnapshots, snapshots[channel]) = (fullSnapshots + 1, (snapshots[channel] ?? 0) + 1) }
            progress[channel] = now
            if chance(50) {
                traffic.subscribed(cursor(channel, now), in: channel)
            } else {
                traffic.synchronized(cursor(channel, now), in: channel, isFull: true)
            }
        } else if chance(50) {
            traffic.subscribed(cursor(channel, now), in: channel, replayFrom: cursor(channel, progress[channel] ?? [:]))
        } else {
            synchronize(channel, now)
        }
    }

    private mutating func synchronize(_ channel: String, _ now: [Int32: Int]) {
        var missed: [EventID] = []
        for partition in partitions.shuffled(using: &random) {
            missed += available(channel, partition).dropFirst(progress[channel]?[partition] ?? 0)
        }
        progress[channel] = now
        for event in missed { addLoggedEvent(event, channel, isSingle: false) }
        traffic.synchronized(cursor(channel, now), in: channel, missed: missed.map { traffic.text($0) })
    }

    private mutating func deliver(_ channel: String, _ partition: Int32) {
        guard let event = available(channel, partition).dropFirst(progress[channel]?[partition] ?? 0).first else {
            return
        }
        progress[channel]?[partition, default: 0] += 1
        addLoggedEvent(event, channel, isSingle: true)
        traffic.receive(event)
    }

    private mutating func addLoggedEvent(_ event: EventID, _ channel: String, isSingle: Bool) {
        loggedEvents.append(
            LoggedEvent(
                line: traffic.lines.count, channel: channel, event: event, connection: connection,
                snapshots: snapshots[channel] ?? 0, isSingle: isSingle))
    }
}

extension RandomClient {
    /// Returns the next received event of the same channel and partition.
    private func next(after index: Int) -> LoggedEvent? {
        let logged = loggedEvents[index]
        return loggedEvents[(index + 1)...].first {
            $0.channel == logged.channel && $0.event.partition == logged.event.partition
        }
    }

    /// Adds one difference of a kind to the log; returns `false` if that is not possible.
    mutating func damage(_ kind: ClientReport.Kind) -> Bool {
        let single = loggedEvents.indices.filter { loggedEvents[$0].isSingle }
        switch kind {
        case .missing:
            // A missing event is detected only if the next event is received without a full snapshot in between.
            let inside = single.filter { next(after: $0)?.snapshots == loggedEvents[$0].snapshots }
            guard let index = inside.randomElement(using: &random) else { return false }
            traffic.lines.remove(at: loggedEvents[index].line)
        case .duplicate:
            guard let index = single.randomElement(using: &random) else { return false }
            let line = loggedEvents[index].line
            traffic.lines.insert(traffic.lines[line], at: line + 1)
        case .outOfOrder:
            let pairs = single.compactMap { index -> (Int, Int)? in
                let logged = loggedEvents[index]
                guard let next = next(after: index), next.isSingle, next.connection == logged.connection,
                    next.snapshots == logged.snapshots
                else { return nil }
                return (logged.line, next.line)
            }
            guard let pair = pairs.randomElement(using: &random) else { return false }
            traffic.lines.swapAt(pair.0, pair.1)
        case .wrong:
            guard let logged = loggedEvents.randomElement(using: &random) else { return false }
            let text = traffic.text(logged.event)
            traffic.lines[logged.line] = traffic.lines[logged.line].replacing(
                text, with: text.replacing(#""list""#, with: pick([#""lisT""#, #" "list""#, #""lis""#])))
        case .unexpected:
            guard let index = single.randomElement(using: &random) else { return false }
            let logged = loggedEvents[index]
            let unknown = pick([
                EventID(partition: logged.event.partition, offset: 9999), logged.event.withMessage(3),
                EventID(partition: 55, offset: 1),
            ])
            traffic.lines.insert(ReceivedTraffic.text(unknown, in: logged.channel), at: logged.line + 1)
        }
        return true
    }
}
