import TestSupport

@testable import Model
@testable import SightlineCLI

/// A client that follows random traffic without a fault: it joins, is cut off, resumes, or gets the state in full.
struct RandomClient {
    /// Where an event stands in the log.
    struct Place {
        var line: Int
        var channel: String
        var event: EventID
        /// The number of the connection.
        var connection: Int
        /// How often the channel's state was told in full before.
        var refreshes: Int
        /// Whether it is a message by itself, and not part of a state_sync.
        var isSingle: Bool
    }

    private(set) var traffic = ReceivedTraffic()
    /// Every event that the client received, in the order of the log.
    private(set) var places: [Place] = []
    private(set) var fullRefreshes = 0
    private var random: SeededGenerator
    private let channels = ["trip:a", "trip:b", "route:1"]
    private let partitions: [Int32] = [0, 1, 7]
    /// By channel and partition, the events.
    private var events: [String: [Int32: [EventID]]] = [:]
    /// By channel and partition, how many of the events are published.
    private var published: [Int32: Int] = [:]
    /// By channel and partition, how many events the client has.
    private var had: [String: [Int32: Int]] = [:]
    private var refreshes: [String: Int] = [:]
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

    /// Fills the topic: events of both sources, and repetitions.
    private mutating func publishAll() {
        for partition in partitions {
            var next: [EventID.Origin: Int64] = [.raw: 0, .trips: 0]
            for _ in 0..<Int.random(in: 30...90, using: &random) {
                let origin: EventID.Origin = chance(80) ? .raw : .trips
                next[origin, default: 0] += Int64.random(in: 1...3, using: &random)
                let event = EventID(origin: origin, partition: partition, offset: next[origin] ?? 0)
                let channel = pick(channels)
                events[channel, default: [:]][partition, default: []].append(event)
                traffic.publish(event, in: channel, type: chance(50) ? ReceivedTraffic.position : ReceivedTraffic.eta)
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

    /// The events of a channel that are on the topic by now.
    private func available(_ channel: String, _ partition: Int32) -> ArraySlice<EventID> {
        let all = events[channel]?[partition] ?? []
        return all.prefix(published[partition] ?? 0)
    }

    /// The last event of each source among the first of a channel.
    private func cursor(_ channel: String, _ counts: [Int32: Int]) -> [String] {
        partitions.flatMap { partition in
            var clock = Watermark()
            for event in (events[channel]?[partition] ?? []).prefix(counts[partition] ?? 0) { clock.advance(to: event) }
            return [clock.raw, clock.trips].compactMap { $0?.description }
        }
    }

    private mutating func join(_ channel: String) {
        subscribed.insert(channel)
        let now = Dictionary(uniqueKeysWithValues: partitions.map { ($0, available(channel, $0).count) })
        let isFirst = had[channel] == nil
        if isFirst {
            had[channel] = now.mapValues { $0 > 0 ? Int.random(in: 0...$0, using: &random) : 0 }
        }
        if chance(30) {
            if !isFirst { (fullRefreshes, refreshes[channel]) = (fullRefreshes + 1, (refreshes[channel] ?? 0) + 1) }
            had[channel] = now
            if chance(50) {
                traffic.subscribed(cursor(channel, now), in: channel)
            } else {
                traffic.synchronised(cursor(channel, now), in: channel, isFull: true)
            }
        } else if chance(50) {
            traffic.subscribed(cursor(channel, now), in: channel, replayFrom: cursor(channel, had[channel] ?? [:]))
        } else {
            synchronise(channel, now)
        }
    }

    private mutating func synchronise(_ channel: String, _ now: [Int32: Int]) {
        var missed: [EventID] = []
        for partition in partitions.shuffled(using: &random) {
            missed += available(channel, partition).dropFirst(had[channel]?[partition] ?? 0)
        }
        had[channel] = now
        for event in missed { note(event, channel, isSingle: false) }
        traffic.synchronised(cursor(channel, now), in: channel, missed: missed.map { traffic.text($0) })
    }

    private mutating func deliver(_ channel: String, _ partition: Int32) {
        guard let event = available(channel, partition).dropFirst(had[channel]?[partition] ?? 0).first else { return }
        had[channel]?[partition, default: 0] += 1
        note(event, channel, isSingle: true)
        traffic.receive(event)
    }

    private mutating func note(_ event: EventID, _ channel: String, isSingle: Bool) {
        places.append(
            Place(
                line: traffic.lines.count, channel: channel, event: event, connection: connection,
                refreshes: refreshes[channel] ?? 0, isSingle: isSingle))
    }
}

/// Damage in one place.
extension RandomClient {
    /// The next event that the client got of the channel in the event's partition.
    private func next(after index: Int) -> Place? {
        let place = places[index]
        return places[(index + 1)...].first {
            $0.channel == place.channel && $0.event.partition == place.event.partition
        }
    }

    /// Damages the log so that it has one difference of a kind; `false` where it has no place for that.
    mutating func damage(_ kind: AuditDifference.Kind) -> Bool {
        let single = places.indices.filter { places[$0].isSingle }
        switch kind {
        case .missing:
            // The end may come at any time, and a state in full stands for what was not received before.
            let inside = single.filter { next(after: $0)?.refreshes == places[$0].refreshes }
            guard let index = inside.randomElement(using: &random) else { return false }
            traffic.lines.remove(at: places[index].line)
        case .doubled:
            guard let index = single.randomElement(using: &random) else { return false }
            let line = places[index].line
            traffic.lines.insert(traffic.lines[line], at: line + 1)
        case .outOfOrder:
            let pairs = single.compactMap { index -> (Int, Int)? in
                let place = places[index]
                guard let next = next(after: index), next.isSingle, next.connection == place.connection,
                    next.refreshes == place.refreshes
                else { return nil }
                return (place.line, next.line)
            }
            guard let pair = pairs.randomElement(using: &random) else { return false }
            traffic.lines.swapAt(pair.0, pair.1)
        case .wrong:
            guard let place = places.randomElement(using: &random) else { return false }
            let text = traffic.text(place.event)
            traffic.lines[place.line] = traffic.lines[place.line].replacing(
                text, with: text.replacing(#""list""#, with: pick([#""lisT""#, #" "list""#, #""lis""#])))
        case .foreign:
            guard let index = single.randomElement(using: &random) else { return false }
            let place = places[index]
            let stranger = pick([
                EventID(partition: place.event.partition, offset: 9999), place.event.withMessage(3),
                EventID(partition: 55, offset: 1),
            ])
            traffic.lines.insert(ReceivedTraffic.text(stranger, in: place.channel), at: place.line + 1)
        default: preconditionFailure("There is no damage of the kind \(kind).")
        }
        return true
    }
}
