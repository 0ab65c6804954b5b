import Domain
@testable import Gateways
import TestSupport
import Testing

@Suite("A client that joins a channel, loses its connection and resumes")
struct ChannelJoinModelTests {
    /// A client, its gateway and the pipeline behind it, driven by random steps.
    private struct Run {
        var model: ChannelModel
        var random: SeededGenerator
        var join: ChannelJoin<EventID>?
        var answers: [Answer] = []
        var cursor = ChannelCursor([])
        /// The events that the client has received since the last snapshot, by partition.
        var received: [Int32: [EventID]] = [:]
        /// The watermarks of the last snapshot.
        var covered: [Int32: Watermark] = [:]
        var now: Int64 = 0
        var snapshots = 0
        var resumptions = 0
        /// Number of snapshots of the request of a trip without a driver.
        var requests = 0

        /// A pending answer to a request of the join.
        enum Answer {
            case read(ChannelJoin<EventID>.Depth)
            case stored(StoredChannel)
            case watched([Int32: Int64])
        }

        init(seed: UInt64, streamLength: Int, isRequested: Bool) {
            random = SeededGenerator(seed: seed)
            model = ChannelModel(streamLength: streamLength, isRequested: isRequested)
        }

        mutating func perform(_ step: ChannelJoin<EventID>.Step) {
            switch step {
            case .read(let depth, let wait):
                now += Int64(wait)
                answers.append(.read(depth))
            case .watch(let starts): answers.append(.watched(model.watch(starts)))
            case .joined(let initial): begin(initial)
            case .unknown, .failed: disconnect()
            case .wait: break
            }
        }

        mutating func begin(_ initial: ChannelJoin<EventID>.InitialState) {
            if initial.isFullSnapshot {
                snapshots += 1
                requests += initial.stored.isRequest ? 1 : 0
                received = [:]
                covered = initial.stored.watermarks
                cursor = ChannelCursor(covered)
            } else {
                resumptions += 1
            }
            for entry in initial.missed { receive(entry.event) }
            for record in initial.buffered { receive(record.event) }
        }

        mutating func receive(_ event: EventID) {
            received[event.partition, default: []].append(event)
            cursor.advance(to: event)
        }

        mutating func connect() {
            let join = ChannelJoin<EventID>(cursor: cursor)
            self.join = join
            perform(join.start)
        }

        /// Connects and completes the join before the first event.
        mutating func beginEarly() {
            connect()
            while !answers.isEmpty { answer() }
        }

        mutating func disconnect() {
            join = nil
            answers = []
            // The client connects to another gateway, which reads no partition yet.
            if Bool.random(using: &random) { model.stopReading() }
        }

        mutating func answer() {
            guard !answers.isEmpty else { return }
            switch answers.removeFirst() {
            // The store is read now; a later step delivers the answer.
            case .read(let depth): answers.append(.stored(model.read(depth)))
            case .stored(let channel): if let step = join?.didRead(channel, at: now) { perform(step) }
            case .watched(let offsets): if let step = join?.didWatch(offsets) { perform(step) }
            }
        }

        mutating func step(partitions: Int32) {
            now += 1
            let partition = Int32.random(in: 0..<partitions, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<5:
                let origin: EventID.Origin = Int.random(in: 0..<4, using: &random) == 0 ? .trips : .raw
                model.append(to: partition, isOfChannel: Bool.random(using: &random), origin: origin)
            case 5..<9: model.store(partition, count: Int64.random(in: 0...4, using: &random))
            case 9..<13:
                for event in model.poll(partition, count: Int64.random(in: 0...4, using: &random)) {
                    if let message = join?.deliver(event, event) { receive(message) }
                }
            case 13..<18: answer()
            case 18: if join == nil { connect() } else { recheck() }
            default: if Int.random(in: 0..<6, using: &random) == 0 { disconnect() }
            }
        }

        mutating func recheck() {
            if let step = join?.recheck(model.read(.none)) { perform(step) }
        }

        /// Runs without disconnections until the client can have received all events.
        mutating func catchUp(partitions: Int32) {
            for _ in 0..<200 {
                if join == nil { connect() }
                for partition in 0..<partitions {
                    model.store(partition, count: 100)
                    for event in model.poll(partition, count: 100) {
                        if let message = join?.deliver(event, event) { receive(message) }
                    }
                }
                answer()
                if answers.isEmpty { recheck() }
            }
        }

        /// Returns the events of a partition that the client's last snapshot does not cover.
        func expected(_ partition: Int32) -> [EventID] {
            var watermark = covered[partition] ?? Watermark()
            return model.log[partition, default: []].map(\.event).filter { watermark.advance(to: $0) }
        }
    }

    @Test(
        "a client receives each event after its snapshot once, in partition order",
        arguments: [
            (partitions: Int32(1), streamLength: 1000, isRequested: false), (3, 1000, false), (1, 5, false),
            (3, 8, false), (1, 5, true), (3, 8, true),
        ])
    func deliversEachEventOnce(partitions: Int32, streamLength: Int, isRequested: Bool) {
        var (resumptions, requests) = (0, 0)
        for _ in 0..<300 {
            let seed = UInt64.random(in: 0...UInt64.max)
            var run = Run(seed: seed, streamLength: streamLength, isRequested: isRequested)
            if isRequested { run.beginEarly() }
            for _ in 0..<400 { run.step(partitions: partitions) }
            run.catchUp(partitions: partitions)
            for partition in 0..<partitions {
                #expect(
                    run.received[partition, default: []] == run.expected(partition),
                    "seed \(seed), partition \(partition)")
            }
            resumptions += run.resumptions
            requests += run.requests
        }
        #expect(isRequested ? requests >= 300 : requests == 0, "each client receives the request first")
        #expect(resumptions > 100, "enough runs resume from a cursor")
    }
}

/// Model of the pipeline behind a gateway: a channel's partitions, a store that lags, and an intake.
struct ChannelModel {
    struct Record: Equatable {
        var offset: Int64
        var event: EventID
    }

    /// The channel's records by partition, in order; records of other channels leave gaps between offsets.
    private(set) var log: [Int32: [Record]] = [:]
    private var ends: [Int32: Int64] = [:]
    /// For each partition, the offset before which all records are stored.
    private(set) var progress: [Int32: Int64] = [:]
    private var stream: [StoredChannel.Entry] = []
    private var watermarks: [Int32: Watermark] = [:]
    /// For each partition that the intake reads, the next offset.
    private var intake: [Int32: Int64] = [:]
    private let streamLength: Int

    /// Whether the store has the trip's request from the start.
    private let isRequested: Bool

    init(streamLength: Int, isRequested: Bool = false) {
        self.streamLength = streamLength
        self.isRequested = isRequested
    }

    /// Appends a record of the channel, or of another channel.
    mutating func append(to partition: Int32, isOfChannel: Bool, origin: EventID.Origin) {
        let offset = ends[partition, default: 0]
        ends[partition] = offset + 1
        guard isOfChannel else { return }
        let event = EventID(origin: origin, partition: partition, offset: offset * 3 + 5)
        log[partition, default: []].append(Record(offset: offset, event: event))
    }

    /// Stores the channel's records at the next `count` offsets of a partition in one transaction.
    mutating func store(_ partition: Int32, count: Int64) {
        let from = progress[partition, default: 0]
        let to = min(ends[partition, default: 0], from + count)
        for record in log[partition, default: []] where record.offset >= from && record.offset < to {
            stream.append(.init(event: record.event, message: Array(record.event.description.utf8)))
            watermarks[partition, default: Watermark()].advance(to: record.event)
        }
        progress[partition] = to
        stream = stream.suffix(streamLength)
    }

    func read(_ depth: ChannelJoin<EventID>.Depth) -> StoredChannel {
        let entries =
            switch depth {
            case .none: [StoredChannel.Entry]()
            case .recent: Array(stream.suffix(3))
            case .all: stream
            }
        return StoredChannel(
            watermarks: watermarks, progress: progress.filter { watermarks[$0.key] != nil }, entries: entries,
            hasAllEntries: entries.count == stream.count,
            fields: isRequested && watermarks.isEmpty ? ["state": Array("REQUESTED".utf8)] : [:])
    }

    /// Starts to read partitions that are not read yet; returns the next offset of each in `starts`.
    mutating func watch(_ starts: [Int32: Int64]) -> [Int32: Int64] {
        for (partition, start) in starts where intake[partition] == nil { intake[partition] = start }
        return starts.reduce(into: [:]) { $0[$1.key] = intake[$1.key] }
    }

    mutating func stopReading() { intake = [:] }

    /// Reads up to `count` offsets of a partition and returns the channel's events.
    mutating func poll(_ partition: Int32, count: Int64) -> [EventID] {
        guard let from = intake[partition] else { return [] }
        let to = min(ends[partition, default: 0], from + count)
        intake[partition] = to
        return log[partition, default: []].filter { $0.offset >= from && $0.offset < to }.map(\.event)
    }
}
