import Foundation
import Kafka
import Lanes
import Observability
import Synchronization
import Tracking
import Wire

/// Reads raw records and rider updates as they are appended, on a thread of its own, and notes how far apart they are.
final class LatencyFollower: Sendable {
    fileprivate struct State: Sendable {
        var receipts = ReceiptTimes()
        var countedFrom = Timestamp(milliseconds: .max)
        var updates = LatencyHistogram()
        /// The same of the raw records themselves: one hop over the broker, of which an update takes four.
        var hops = LatencyHistogram()
        var failure: KafkaError?
    }

    private let configuration: KafkaConfiguration
    private let lanes: [KafkaLane]
    private let rawTopic: String
    private let state = Mutex(State())
    private let mayStop = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ access: PipelineAccess, stage: BenchStage) throws {
        configuration = access.kafka
        rawTopic = stage.topic(.rawLocations)
        lanes = stage.lanes(of: rawTopic) + stage.lanes(of: stage.topic(.riderUpdates))
    }

    /// From each raw record, sent at or after the time set, to the moment its rider update could be read.
    var updates: LatencyHistogram { state.withLock { $0.updates } }

    /// From each raw record to the moment it could be read itself.
    var hops: LatencyHistogram { state.withLock { $0.hops } }

    /// - Throws: what ended the reading before its time.
    func checkFailure() throws {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    func countFrom(_ time: Timestamp) { state.withLock { $0.countedFrom = time } }

    func start() {
        let thread = Thread { [self] in
            do throws(KafkaError) { try follow() } catch { state.withLock { $0.failure = error } }
            ended.signal()
        }
        thread.name = "latency"
        thread.start()
    }

    func stop() {
        mayStop.store(true, ordering: .relaxed)
        ended.wait()
        ended.signal()
    }

    private func follow() throws(KafkaError) {
        let reader = try KafkaReader(configuration, log: PipelineAccess.log)
        let batch = reader.makeBatch(capacity: 4096)
        defer {
            batch.removeAll()
            reader.close()
        }
        try reader.start(Dictionary(uniqueKeysWithValues: lanes.map { ($0, .beginning) }))
        let raw = reader.index(of: rawTopic)
        let updates = RiderUpdateReader()
        while !mayStop.load(ordering: .relaxed) {
            try reader.poll(into: batch, waitMilliseconds: 50)
            let seenAt = Timestamp(milliseconds: WallClock.milliseconds())
            state.withLock { state in
                for index in 0..<batch.count {
                    guard case .message(let message)? = batch[index] else { continue }
                    if message.input == raw {
                        state.note(raw: message, seenAt: seenAt)
                    } else {
                        state.note(message, updates, seenAt: seenAt)
                    }
                }
            }
            batch.removeAll()
        }
    }
}

extension LatencyFollower.State {
    fileprivate mutating func note(raw message: KafkaMessage, seenAt: Timestamp) {
        let sentAt = message.record.timestamp
        if sentAt >= countedFrom { hops.note(milliseconds: seenAt.milliseconds - sentAt.milliseconds) }
        for seenAt in receipts.note(lane: message.lane, offset: message.offset, at: sentAt) { add(sentAt, seenAt) }
    }

    fileprivate mutating func note(_ message: KafkaMessage, _ reader: RiderUpdateReader, seenAt: Timestamp) {
        guard let value = message.record.value, let update = reader.read(value), case .driverLocation = update.update,
            case let event = update.eventID, event.origin == .raw,
            let sentAt = receipts.time(lane: event.lane, offset: event.offset, elseWaitFrom: seenAt)
        else { return }
        add(sentAt, seenAt)
    }

    private mutating func add(_ sentAt: Timestamp, _ seenAt: Timestamp) {
        guard sentAt >= countedFrom else { return }
        updates.note(milliseconds: seenAt.milliseconds - sentAt.milliseconds)
    }
}
