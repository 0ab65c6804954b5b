import Gateways
import Model
import TestSupport
import Testing

@Suite("A client that joins a channel, loses its connection and resumes")
struct ChannelJoinModelTests {
    /// A client, its gateway and the pipeline behind it, driven by chance.
    private struct Run {
        var model: ChannelModel
        var random: SeededGenerator
        var join: ChannelJoin<EventID>?
        var answers: [Answer] = []
        /// The client's own: it names the last event of each source.
        var cursor = ChannelCursor([])
        /// What the client has, by partition.
        var received: [Int32: [EventID]] = [:]
        /// Where the client's knowledge begins: the events that a state in full covers.
        var covered: [Int32: Watermark] = [:]
        var now: Int64 = 0
        var refreshes = 0
        var resumptions = 0
        /// Beginnings without any event: the client was told the trip's request.
        var requests = 0

        /// What the gateway's parts still have to answer.
        enum Answer {
            case read(ChannelJoin<EventID>.Depth)
            case stored(StoredChannel)
            case watched([Int32: Int64])
        }

        init(seed: UInt64, streamLength: Int, isRequested: Bool) {
            random = SeededGenerator(seed: seed)
            model = ChannelModel(streamLength: streamLength, isRequested: isRequested)
        }

        mutating func take(_ step: ChannelJoin<EventID>.Step) {
            switch step {
            case .read(let depth, let wait):
                now += Int64(wait)
                answers.append(.read(depth))
            case .watch(let starts): answers.append(.watched(model.watch(starts)))
            case .begin(let beginning): begin(beginning)
            case .unknown, .storeBehind: disconnect()
            case .wait: break
            }
        }

        mutating func begin(_ beginning: ChannelJoin<EventID>.Beginning) {
            if beginning.isFullRefresh {
                refreshes += 1
                requests += beginning.stored.isRequest ? 1 : 0
                received = [:]
                covered = beginning.stored.clocks
                cursor = ChannelCursor(covered)
            } else {
                resumptions += 1
            }
            for entry in beginning.missed { receive(entry.event) }
            for kept in beginning.kept { receive(kept.event) }
        }

        mutating func receive(_ event: EventID) {
            received[event.partition, default: []].append(event)
            cursor.advance(to: event)
        }

        mutating func connect() {
            let join = ChannelJoin<EventID>(cursor: cursor)
            self.join = join
            take(join.start)
        }

        /// Subscribes before anything happens.
        mutating func beginEarly() {
            connect()
            while !answers.isEmpty { answer() }
        }

        mutating func disconnect() {
            join = nil
            answers = []
            // Another gateway, which reads nothing yet.
            if Bool.random(using: &random) { model.giveUp() }
        }

        mutating func answer() {
            guard !answers.isEmpty else { return }
            switch answers.removeFirst() {
            // The store answers with what it has at one instant, and the answer arrives later.
            case .read(let depth): answers.append(.stored(model.read(depth)))
            case .stored(let channel): if let step = join?.stored(channel, at: now) { take(step) }
            case .watched(let offsets): if let step = join?.watched(offsets) { take(step) }
            }
        }

        mutating func step(partitions: Int32) {
            now += 1
            let partition = Int32.random(in: 0..<partitions, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<5:
                let origin: EventID.Origin = Int.random(in: 0..<4, using: &random) == 0 ? .trips : .raw
                model.append(to: partition, isOurs: Bool.random(using: &random), origin: origin)
            case 5..<9: model.store(partition, count: Int64.random(in: 0...4, using: &random))
            case 9..<13:
                for event in model.poll(partition, count: Int64.random(in: 0...4, using: &random)) {
                    if let message = join?.deliver(event, event) { receive(message) }
                }
            case 13..<18: answer()
            case 18: if join == nil { connect() } else { look() }
            default: if Int.random(in: 0..<6, using: &random) == 0 { disconnect() }
            }
        }

        /// The look at the store that finds new partitions.
        mutating func look() {
            if let step = join?.look(at: model.read(.none)) { take(step) }
        }

        /// Lets everything arrive.
        mutating func settle(partitions: Int32) {
            for _ in 0..<200 {
                if join == nil { connect() }
                for partition in 0..<partitions {
                    model.store(partition, count: 100)
                    for event in model.poll(partition, count: 100) {
                        if let message = join?.deliver(event, event) { receive(message) }
                    }
                }
                answer()
                if answers.isEmpty { look() }
            }
        }

        /// What the client should have of a partition: all that its state in full does not cover.
        func expected(_ partition: Int32) -> [EventID] {
            var clock = covered[partition] ?? Watermark()
            return model.log[partition, default: []].map(\.event).filter { clock.advance(to: $0) }
        }
    }

    @Test(
        "receives each event after its state in full once and in the order of its partition",
        arguments: [
            (partitions: Int32(1), streamLength: 1000, isRequested: false), (3, 1000, false), (1, 5, false),
            (3, 8, false), (1, 5, true), (3, 8, true),
        ])
    func model(partitions: Int32, streamLength: Int, isRequested: Bool) {
        var (resumptions, requests) = (0, 0)
        for _ in 0..<300 {
            let seed = UInt64.random(in: 0...UInt64.max)
            var run = Run(seed: seed, streamLength: streamLength, isRequested: isRequested)
            if isRequested { run.beginEarly() }
            for _ in 0..<400 { run.step(partitions: partitions) }
            run.settle(partitions: partitions)
            for partition in 0..<partitions {
                #expect(
                    run.received[partition, default: []] == run.expected(partition),
                    "seed \(seed), partition \(partition)")
            }
            resumptions += run.resumptions
            requests += run.requests
        }
        #expect(isRequested ? requests >= 300 : requests == 0, "clients are told of the request, and then of the trip")
        #expect(resumptions > 100, "clients resume by their cursor, or this tests little")
    }
}
