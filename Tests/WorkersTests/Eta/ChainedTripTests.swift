import Domain
import Processors
import Processing
import Support
import Testing

@Suite("Chained trips in eta-worker")
struct ChainedTripTests {
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)
    private static let memorySeconds = 300.0

    private func makeRunner() -> InMemoryRunner {
        InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: Self.memorySeconds),
            processor: EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: Self.memorySeconds))
    }

    private func add(
        _ trip: String, _ state: String, version: Int, queue: Int, at second: Double, to topic: inout RecordedTopic
    ) {
        let text = """
            {"trip_id":"\(trip)","driver_id":"d1","rider_id":"r-\(trip)","kind":"ride","state":"\(state)",\
            "version":\(version),"queue_position":\(queue),"stops":[\
            {"stop_id":"p-\(trip)","kind":"PICKUP","latitude":37.77,"longitude":-122.41},\
            {"stop_id":"d-\(trip)","kind":"DROPOFF","latitude":37.79,"longitude":-122.41}]}
            """
        topic.records.append(
            .init(key: Array("d1".utf8), value: Array(text.utf8), timestamp: Self.start.advanced(bySeconds: second)))
    }

    /// Returns verdicts of a stationary vehicle, one for each of `seconds`.
    private func verdicts(at seconds: [Double]) -> RecordedTopic {
        var raw = RecordedTopic()
        for (number, second) in seconds.enumerated() {
            let at = Self.start.advanced(bySeconds: second)
            let text = """
                {"type":"location","driver_id":"d1","sequence":\(number + 1),"payload":{"latitude":37.765,\
                "longitude":-122.41,"accuracy_meters":5,"timestamp":\(at.milliseconds)}}
                """
            raw.records.append(.init(key: Array("d1".utf8), value: Array(text.utf8), timestamp: at))
        }
        return LocationPartition.verdicts(raw)
    }

    private func drain(_ runner: inout InMemoryRunner, into changelog: inout RecordedTopic) {
        runner.drainOutputs { if $0.topic == 0 { changelog.append($0) } }
    }

    private func summary(_ changelog: RecordedTopic) -> [String] {
        changelog.records.map { "\(String(decoding: $0.key, as: UTF8.self)) \($0.event.map { "\($0)" } ?? "-")" }
    }

    @Test("a trip that moves back in the queue swaps with the next trip, and both trips are kept")
    func swapsWithNextTrip() {
        var trips = RecordedTopic()
        add("a", "ACCEPTED", version: 1, queue: 0, at: 0, to: &trips)
        add("b", "ACCEPTED", version: 1, queue: 1, at: 1, to: &trips)
        add("a", "ACCEPTED", version: 2, queue: 1, at: 2, to: &trips)
        let fixes = verdicts(at: [5])
        var changelog = RecordedTopic()
        var runner = makeRunner()
        runner.finishRestore()
        for offset in trips.records.indices { trips.with(offset, input: 1) { record, _ in runner.process(record) } }
        fixes.with(0, input: 0) { record, _ in runner.process(record) }
        drain(&runner, into: &changelog)
        #expect(summary(changelog) == ["a t0-0", "b t0-1", "a t0-2", "b t0-2/1", "b 0-0", "a 0-0/1"])
    }

    @Test("after a restart, a trip that became the current one continues with the same output")
    func restartAfterBecomingCurrent() {
        var trips = RecordedTopic()
        add("a", "ACCEPTED", version: 1, queue: 0, at: 1, to: &trips)
        add("b", "ACCEPTED", version: 1, queue: 1, at: 2, to: &trips)
        add("a", "CANCELLED", version: 2, queue: 0, at: 62, to: &trips)
        let fixes = verdicts(at: [0, 75])
        var changelog = RecordedTopic()
        var runner = makeRunner()
        runner.finishRestore()
        fixes.with(0, input: 0) { record, _ in runner.process(record) }
        for offset in trips.records.indices { trips.with(offset, input: 1) { record, _ in runner.process(record) } }
        fixes.with(1, input: 0) { record, _ in runner.process(record) }
        drain(&runner, into: &changelog)

        var restored = makeRunner()
        for offset in changelog.records.indices {
            changelog.with(offset, input: 0) { record, header in restored.restore(record, watermarkHeader: header) }
        }
        restored.finishRestore()
        for offset in trips.records.indices { trips.with(offset, input: 1) { record, _ in restored.replay(record) } }
        for offset in fixes.records.indices {
            fixes.with(offset, input: 0) { record, _ in restored.process(record) }
        }
        var (expected, actual) = (RecordedTopic(), RecordedTopic())
        drain(&restored, into: &actual)
        for second in stride(from: 80.0, through: 250, by: 5) {
            runner.advanceStreamTime(to: Self.start.advanced(bySeconds: second))
            restored.advanceStreamTime(to: Self.start.advanced(bySeconds: second))
        }
        drain(&runner, into: &expected)
        drain(&restored, into: &actual)
        #expect(!expected.records.isEmpty)
        #expect(actual.texts == expected.texts)
        #expect(actual.records.map(\.state) == expected.records.map(\.state))
    }

    @Test("a late message does not restart an ended trip of a driver without locations")
    func lateMessageAfterTheEnd() {
        var trips = RecordedTopic()
        add("a", "ACCEPTED", version: 1, queue: 0, at: 0, to: &trips)
        add("a", "CANCELLED", version: 2, queue: 0, at: 100, to: &trips)
        add("a", "ACCEPTED", version: 1, queue: 0, at: 101, to: &trips)
        var changelog = RecordedTopic()
        var runner = makeRunner()
        runner.finishRestore()
        for offset in trips.records.indices { trips.with(offset, input: 1) { record, _ in runner.process(record) } }
        drain(&runner, into: &changelog)
        #expect(summary(changelog) == ["a t0-0", "a t0-1"])
    }
}
