import Testing

@testable import Codec
@testable import Domain
@testable import Processors
@testable import Processing
@testable import Runtime
@testable import Support

@Suite("Road speed learner")
struct RoadSpeedLearnerTests {
    private static let time = Timestamp(milliseconds: 1_770_000_000_000)

    private func learner() -> RoadSpeedLearner {
        RoadSpeedLearner(partition: 2, settings: RoadSpeedTable.Settings(), memoryMilliseconds: 300_000)
    }

    private func event(_ offset: Int64) -> EventID { EventID(partition: 2, offset: offset) }

    /// Returns a trip over 2 km due north, whose locations are 50 m and 5 s apart.
    private func drivenTrip() -> ActiveTrip {
        func at(_ meters: Double) -> Coordinate { Coordinate(latitude: 37.7 + meters / 111_195, longitude: -122.41) }
        let ends = [at(0), at(2000)]
        let message = TripMessage(
            tripID: "t", driverID: "d", state: .inProgress, version: 1,
            stops: [
                TripMessage.Stop(id: "a", kind: .pickup, coordinate: ends[0]),
                TripMessage.Stop(id: "b", kind: .dropoff, coordinate: ends[1]),
            ],
            route: TripMessage.Route(
                polyline: Polyline.encode(ends, precision: 5), points: ends, distanceMeters: 2000,
                durationSeconds: 200))
        let trip = ActiveTrip(message, estimator: ArrivalEstimator(), at: Self.time)
        for step in 0...4 {
            let time = Self.time.advanced(bySeconds: Double(step) * 5)
            let position = TripEta.Position(
                coordinate: at(Double(step) * 50), headingDegrees: 0, speedMetersPerSecond: 10, accuracyMeters: 5,
                fixedAt: time)
            trip.update(position: position, isHalted: false, confidence: .high, occupancyPercent: nil, at: time)
        }
        return trip
    }

    /// Learns from the last location of ``drivenTrip()``, as the event at `offset`.
    private func teach(_ learner: inout RoadSpeedLearner, at offset: Int64) {
        learner.beginObservation(at: event(offset))
        learner.learn(from: drivenTrip())
        #expect(!learner.observation.isEmpty)
        learner.endObservation()
    }

    private func observation(of cell: UInt64) -> SpeedObservation {
        var observation = SpeedObservation()
        observation.at = Self.time
        observation.parts = [RoadSpeedTable.Part(cell: cell, meters: 50, seconds: 5)]
        return observation
    }

    /// Returns all entries, ordered by key.
    private func entries(_ learner: RoadSpeedLearner) -> [RoadSpeedTable.Entry] {
        learner.table.allEntries.sorted { ($0.key.cell, $0.key.band) < ($1.key.cell, $1.key.band) }
    }

    /// Returns the records of a checkpoint.
    private func records(_ outputs: borrowing OutputBatch) -> RecordedTopic {
        var topic = RecordedTopic()
        for output in outputs.outputs {
            let state = output.headers.map { Array(outputs.bytes.slice(outputs.headers[$0].value).buffer) }.first
            topic.records.append(
                .init(
                    key: Array(outputs.bytes.slice(output.key).buffer),
                    value: output.value.map { Array(outputs.bytes.slice($0).buffer) }, timestamp: output.timestamp,
                    event: output.event, state: state ?? []))
        }
        return topic
    }

    private func restored(_ topic: RecordedTopic, changelog: EventID?) -> (RoadSpeedLearner, RecordedTopic) {
        var learner = learner()
        for offset in topic.records.indices { topic.with(offset, input: 2) { record, _ in learner.restore(record) } }
        if let changelog { learner.restore(SpeedObservation(), at: changelog) }
        var outputs = OutputBatch()
        learner.finishRestore(changelog: changelog, at: Self.time, topic: 2, into: &outputs)
        return (learner, records(outputs))
    }

    private func checkpoint(_ learner: inout RoadSpeedLearner, after seconds: Double) -> RecordedTopic {
        var outputs = OutputBatch()
        learner.checkpointIfDue(at: Self.time, topic: 2, into: &outputs)
        learner.checkpointIfDue(at: Self.time.advanced(bySeconds: seconds), topic: 2, into: &outputs)
        return records(outputs)
    }

    @Test("an observation keeps its bits when encoded and decoded, and truncated bytes decode to nil")
    func observation() throws {
        var observation = SpeedObservation()
        observation.at = Self.time
        observation.parts = [
            RoadSpeedTable.Part(cell: .max, meters: 0.1 + 0.2, seconds: 1 / 3),
            RoadSpeedTable.Part(cell: 0, meters: 0, seconds: 7),
        ]
        var bytes = ByteWriter()
        observation.encode(into: &bytes)
        let count = bytes.count
        var offset = 0
        let decoded = try #require(SpeedObservation(bytes.bytes.buffer, at: &offset))
        #expect(offset == count)
        #expect(decoded.at == observation.at)
        #expect(decoded.parts == observation.parts)
        for length in 0..<count {
            offset = 0
            #expect(
                SpeedObservation(UnsafeRawBufferPointer(rebasing: bytes.bytes.buffer[..<length]), at: &offset) == nil)
        }
    }

    @Test(
        "an observation with impossible numbers decodes to nil",
        arguments: [(Double.nan, 5.0), (.infinity, 5), (-1, 5), (50, .nan), (50, .infinity), (50, -1)])
    func impossibleObservation(meters: Double, seconds: Double) {
        var observation = observation(of: 7)
        observation.parts[0] = RoadSpeedTable.Part(cell: 7, meters: meters, seconds: seconds)
        var writer = ByteWriter()
        observation.encode(into: &writer)
        var offset = 0
        #expect(SpeedObservation(writer.bytes.buffer, at: &offset) == nil)
    }

    @Test("speeds are restored from a checkpoint, and later observations from the changelog")
    func checkpointed() {
        var first = learner()
        teach(&first, at: 5)
        #expect(checkpoint(&first, after: 59.9).records.isEmpty)
        let topic = checkpoint(&first, after: 60)
        #expect(topic.records.count == entries(first).count + 1)
        #expect(topic.records.last?.key == Array("checkpoint".utf8))
        #expect(topic.records.allSatisfy { $0.event == event(5) })
        let (second, repeated) = restored(topic, changelog: event(6))
        #expect(!entries(second).isEmpty)
        #expect(entries(second) == entries(first))
        #expect(repeated.records.isEmpty)

        var third = learner()
        for offset in topic.records.indices { topic.with(offset, input: 2) { record, _ in third.restore(record) } }
        let observations: [(offset: Int64, cell: UInt64)] = [(4, 1), (5, 2), (6, 3)]
        for (offset, cell) in observations { third.restore(observation(of: cell), at: event(offset)) }
        var outputs = OutputBatch()
        third.finishRestore(changelog: event(8), at: Self.time, topic: 2, into: &outputs)
        let learned = entries(third).filter { !entries(first).contains($0) }
        #expect(learned.map(\.key.cell) == [3, 3, 3], "The checkpoint contains events 4 and 5.")
        #expect(records(outputs).records.count == 4)
        let keys = records(outputs).records.map { String(decoding: $0.key, as: UTF8.self).drop { $0 != "@" } }
        #expect(Set(keys) == ["@recent", "@2", "@always", ""])
        third.beginObservation(at: event(8))
        third.learn(from: drivenTrip())
        #expect(third.observation.isEmpty, "Events in the changelog are not learned again.")
        third.endObservation()
        teach(&third, at: 9)
    }

    @Test(
        "speeds are restored days later from the topic alone, with the same bits",
        arguments: [1.0, 7, 30])
    func warmStart(days: Double) throws {
        var first = learner()
        for offset in 1...20 { teach(&first, at: Int64(offset)) }
        let topic = checkpoint(&first, after: 60)
        // The changelog has expired.
        let second = restored(topic, changelog: nil).0
        #expect(entries(second) == entries(first))
        let points = [0.0, 200].map { Coordinate(latitude: 37.7 + $0 / 111_195, longitude: -122.41) }
        let road = RouteCells(geometry: try #require(RouteGeometry(points: points)), kind: .ride)
        // 10 m/s was driven; the plan expects 5 m/s, and the hour of the day differs.
        let now = Self.time.advanced(bySeconds: days * 86_400 + 7 * 3600)
        let expected = second.table.expected(road, from: 0, to: 200, planned: 40, at: now)
        #expect(expected < 34, "\(expected) s")
        #expect(expected == first.table.expected(road, from: 0, to: 200, planned: 40, at: now))
    }

    @Test("a checkpoint without its end is ignored")
    func partial() {
        var first = learner()
        teach(&first, at: 5)
        var topic = checkpoint(&first, after: 60)
        topic.records.removeLast()
        #expect(!topic.records.isEmpty)
        let (second, repeated) = restored(topic, changelog: event(5))
        #expect(entries(second).isEmpty)
        // The partial checkpoint stays ignored after a later complete one.
        #expect(repeated.records.last?.key == Array("checkpoint".utf8))
        topic.records += repeated.records
        #expect(entries(restored(topic, changelog: event(5)).0).isEmpty)
    }

    @Test("learned speeds survive recreated topics, in a new generation", arguments: [nil, Int64(3)])
    func recreatedTopics(changelog: Int64?) {
        var first = learner()
        teach(&first, at: 1000)
        var topic = checkpoint(&first, after: 60)
        var (second, repeated) = restored(topic, changelog: changelog.map { event($0) })
        #expect(entries(second) == entries(first))
        topic.records += repeated.records
        // Offsets restart at 0, but new observations follow the old ones because their generation is higher.
        teach(&second, at: 10)
        #expect(entries(second) != entries(first))
        topic.records += checkpoint(&second, after: 120).records
        #expect(entries(restored(topic, changelog: event(11)).0) == entries(second))
    }
}
