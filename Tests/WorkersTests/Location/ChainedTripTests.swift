import ArrivalTimes
import EtaWorker
import LocationWorker
import Processing
import SpoofDetection
import Support
import Testing

@Suite("Chained trips in the eta stage")
struct ChainedTripTests {
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)
    private static let memorySeconds = 300.0

    private func makeRunner() -> InMemoryRunner {
        InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: Self.memorySeconds),
            stage: EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: Self.memorySeconds))
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

    /// Verdicts of a vehicle that stands, one for each of `seconds`.
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
        var settings = TrackingSettings()
        settings.rate.isLimited = false
        var runner = InMemoryRunner(
            layout: LocationProcessor.layout(settings: settings),
            stage: LocationProcessor(partition: 0, settings: settings))
        var verdicts = RecordedTopic()
        for offset in raw.records.indices {
            raw.with(offset, input: 0) { record, _ in runner.process(record) }
            runner.takeOutputs { if $0.topic == 0 { verdicts.append($0) } }
        }
        return verdicts
    }

    private func take(_ runner: inout InMemoryRunner, into changelog: inout RecordedTopic) {
        runner.takeOutputs { if $0.topic == 0 { changelog.append($0) } }
    }

    private func summary(_ changelog: RecordedTopic) -> [String] {
        changelog.records.map { "\(String(decoding: $0.key, as: UTF8.self)) \($0.clock.map { "\($0)" } ?? "-")" }
    }

    @Test("a trip that is put back changes places with the next one, and neither is lost")
    func changesPlaces() {
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
        take(&runner, into: &changelog)
        #expect(summary(changelog) == ["a t0-0", "b t0-1", "a t0-2", "b t0-2/1", "b 0-0", "a 0-0/1"])
    }

    @Test("a trip that moved up goes on after a restart as if there had been none")
    func restartAfterMovingUp() {
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
        take(&runner, into: &changelog)

        var restored = makeRunner()
        for offset in changelog.records.indices {
            changelog.with(offset, input: 0) { record, header in restored.restore(record, clockHeader: header) }
        }
        restored.finishRestore()
        for offset in trips.records.indices { trips.with(offset, input: 1) { record, _ in restored.recall(record) } }
        for offset in fixes.records.indices {
            fixes.with(offset, input: 0) { record, _ in restored.process(record) }
        }
        var (expected, found) = (RecordedTopic(), RecordedTopic())
        take(&restored, into: &found)
        for second in stride(from: 80.0, through: 250, by: 5) {
            runner.pass(until: Self.start.advanced(bySeconds: second))
            restored.pass(until: Self.start.advanced(bySeconds: second))
        }
        take(&runner, into: &expected)
        take(&restored, into: &found)
        #expect(!expected.records.isEmpty)
        #expect(found.texts == expected.texts)
        #expect(found.records.map(\.state) == expected.records.map(\.state))
    }

    @Test("an ended trip of a driver who never sent a location does not begin again by a late message")
    func lateMessageAfterTheEnd() {
        var trips = RecordedTopic()
        add("a", "ACCEPTED", version: 1, queue: 0, at: 0, to: &trips)
        add("a", "CANCELLED", version: 2, queue: 0, at: 100, to: &trips)
        add("a", "ACCEPTED", version: 1, queue: 0, at: 101, to: &trips)
        var changelog = RecordedTopic()
        var runner = makeRunner()
        runner.finishRestore()
        for offset in trips.records.indices { trips.with(offset, input: 1) { record, _ in runner.process(record) } }
        take(&runner, into: &changelog)
        #expect(summary(changelog) == ["a t0-0", "a t0-1"])
    }
}
