import Testing

@testable import ArrivalTimes
@testable import Codec
@testable import EtaWorker
@testable import Model
@testable import Processing
@testable import Runtime
@testable import Support

@Suite("What a partition has learned, in bytes")
struct RoadSpeedLearnerTests {
    private static let time = Timestamp(milliseconds: 1_770_000_000_000)

    private func learning() -> RoadSpeedLearner {
        RoadSpeedLearner(partition: 2, settings: RoadSpeedTable.Settings(), memoryMilliseconds: 300_000)
    }

    private func event(_ offset: Int64) -> EventID { EventID(partition: 2, offset: offset) }

    /// A trip over 2 km of road, due north, whose last location has driven 50 m of it in 5 s.
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

    /// Has the partition learn from the trip's last location, as that of the event at `offset`.
    private func teach(_ learning: inout RoadSpeedLearner, at offset: Int64) {
        learning.beginLesson(at: event(offset))
        learning.learnPaces(from: drivenTrip())
        #expect(!learning.lesson.isEmpty)
        learning.endLesson()
    }

    private func lesson(of cell: UInt64) -> SpeedObservation {
        var lesson = SpeedObservation()
        lesson.at = Self.time
        lesson.parts = [RoadSpeedTable.Part(cell: cell, meters: 50, seconds: 5)]
        return lesson
    }

    /// What the partition knows, in an order of its own.
    private func entries(_ learning: RoadSpeedLearner) -> [RoadSpeedTable.Entry] {
        learning.memory.allEntries.sorted { ($0.key.cell, $0.key.band) < ($1.key.cell, $1.key.band) }
    }

    /// The records of a checkpoint.
    private func records(_ outputs: borrowing OutputBatch) -> RecordedTopic {
        var topic = RecordedTopic()
        for output in outputs.outputs {
            let state = output.headers.map { Array(outputs.bytes.slice(outputs.headers[$0].value).buffer) }.first
            topic.records.append(
                .init(
                    key: Array(outputs.bytes.slice(output.key).buffer),
                    value: output.value.map { Array(outputs.bytes.slice($0).buffer) }, timestamp: output.timestamp,
                    clock: output.clock, state: state ?? []))
        }
        return topic
    }

    private func restored(_ topic: RecordedTopic, changelog: EventID?) -> (RoadSpeedLearner, RecordedTopic) {
        var learning = learning()
        for offset in topic.records.indices { topic.with(offset, input: 2) { record, _ in learning.recall(record) } }
        if let changelog { learning.recall(SpeedObservation(), at: changelog) }
        var outputs = OutputBatch()
        learning.finishRestore(changelog: changelog, at: Self.time, topic: 2, into: &outputs)
        return (learning, records(outputs))
    }

    private func checkpoint(_ learning: inout RoadSpeedLearner, after seconds: Double) -> RecordedTopic {
        var outputs = OutputBatch()
        learning.checkpointIfDue(at: Self.time, topic: 2, into: &outputs)
        learning.checkpointIfDue(at: Self.time.advanced(bySeconds: seconds), topic: 2, into: &outputs)
        return records(outputs)
    }

    @Test("a lesson is read back as it was written, to the bit")
    func lesson() throws {
        var lesson = SpeedObservation()
        lesson.at = Self.time
        lesson.parts = [
            RoadSpeedTable.Part(cell: .max, meters: 0.1 + 0.2, seconds: 1 / 3),
            RoadSpeedTable.Part(cell: 0, meters: 0, seconds: 7),
        ]
        var bytes = ByteWriter()
        lesson.encode(into: &bytes)
        let whole = bytes.count
        var offset = 0
        let found = try #require(SpeedObservation(bytes.bytes.buffer, at: &offset))
        #expect(offset == whole)
        #expect(found.at == lesson.at)
        #expect(found.parts == lesson.parts)
        for count in 0..<whole {
            offset = 0
            #expect(
                SpeedObservation(UnsafeRawBufferPointer(rebasing: bytes.bytes.buffer[..<count]), at: &offset) == nil)
        }
    }

    @Test(
        "a lesson with numbers that no road gives is none",
        arguments: [(Double.nan, 5.0), (.infinity, 5), (-1, 5), (50, .nan), (50, .infinity), (50, -1)])
    func impossibleLesson(meters: Double, seconds: Double) {
        var lesson = lesson(of: 7)
        lesson.parts[0] = RoadSpeedTable.Part(cell: 7, meters: meters, seconds: seconds)
        var writer = ByteWriter()
        lesson.encode(into: &writer)
        var offset = 0
        #expect(SpeedObservation(writer.bytes.buffer, at: &offset) == nil)
    }

    @Test("paces come back from a checkpoint, and the lessons after it from the changelog")
    func checkpointed() {
        var first = learning()
        teach(&first, at: 5)
        #expect(checkpoint(&first, after: 59.9).records.isEmpty)
        let topic = checkpoint(&first, after: 60)
        #expect(topic.records.count == entries(first).count + 1)
        #expect(topic.records.last?.key == Array("checkpoint".utf8))
        #expect(topic.records.allSatisfy { $0.clock == event(5) })
        let (second, repeated) = restored(topic, changelog: event(6))
        #expect(!entries(second).isEmpty)
        #expect(entries(second) == entries(first))
        #expect(repeated.records.isEmpty)

        var third = learning()
        for offset in topic.records.indices { topic.with(offset, input: 2) { record, _ in third.recall(record) } }
        let lessons: [(offset: Int64, cell: UInt64)] = [(4, 1), (5, 2), (6, 3)]
        for (offset, cell) in lessons { third.recall(lesson(of: cell), at: event(offset)) }
        var outputs = OutputBatch()
        third.finishRestore(changelog: event(8), at: Self.time, topic: 2, into: &outputs)
        let learned = entries(third).filter { !entries(first).contains($0) }
        #expect(learned.map(\.key.cell) == [3, 3, 3], "The checkpoint contains events 4 and 5.")
        #expect(records(outputs).records.count == 4)
        let keys = records(outputs).records.map { String(decoding: $0.key, as: UTF8.self).drop { $0 != "@" } }
        #expect(Set(keys) == ["@lately", "@2", "@always", ""])
        third.beginLesson(at: event(8))
        third.learnPaces(from: drivenTrip())
        #expect(third.lesson.isEmpty, "What the changelog contains is not learned again.")
        third.endLesson()
        teach(&third, at: 9)
    }

    @Test(
        "what was learned on one day is known days later, from the topic alone and to the bit",
        arguments: [1.0, 7, 30])
    func warmStart(days: Double) throws {
        var first = learning()
        for offset in 1...20 { teach(&first, at: Int64(offset)) }
        let topic = checkpoint(&first, after: 60)
        // The changelog of minutes is long gone.
        let second = restored(topic, changelog: nil).0
        #expect(entries(second) == entries(first))
        let points = [0.0, 200].map { Coordinate(latitude: 37.7 + $0 / 111_195, longitude: -122.41) }
        let road = RouteCells(geometry: try #require(RouteGeometry(points: points)), kind: .ride)
        // 10 m/s was driven; the plan says 5 m/s, and the hour is another one.
        let now = Self.time.advanced(bySeconds: days * 86_400 + 7 * 3600)
        let expected = second.memory.expected(road, from: 0, to: 200, planned: 40, at: now)
        #expect(expected < 34, "\(expected) s")
        #expect(expected == first.memory.expected(road, from: 0, to: 200, planned: 40, at: now))
    }

    @Test("a checkpoint without its end does not count")
    func partial() {
        var first = learning()
        teach(&first, at: 5)
        var topic = checkpoint(&first, after: 60)
        topic.records.removeLast()
        #expect(!topic.records.isEmpty)
        let (second, repeated) = restored(topic, changelog: event(5))
        #expect(entries(second).isEmpty)
        // Nor does it count when the next one is whole.
        #expect(repeated.records.last?.key == Array("checkpoint".utf8))
        topic.records += repeated.records
        #expect(entries(restored(topic, changelog: event(5)).0).isEmpty)
    }

    @Test("topics made anew keep what was learned, and stamp it so that it counts", arguments: [nil, Int64(3)])
    func anew(changelog: Int64?) {
        var first = learning()
        teach(&first, at: 1000)
        var topic = checkpoint(&first, after: 60)
        var (second, repeated) = restored(topic, changelog: changelog.map { event($0) })
        #expect(entries(second) == entries(first))
        topic.records += repeated.records
        // Offsets are small again, and what is learned now still comes after what was.
        teach(&second, at: 10)
        #expect(entries(second) != entries(first))
        topic.records += checkpoint(&second, after: 120).records
        #expect(entries(restored(topic, changelog: event(11)).0) == entries(second))
    }
}
