import Lanes
import Testing
import Tracking

@testable import Stages

@Suite("What a lane has learned, in bytes")
struct LaneLearningTests {
    private static let time = Timestamp(milliseconds: 1_770_000_000_000)

    private func learning() -> LaneLearning {
        LaneLearning(lane: 2, settings: PaceMemory.Settings(), memoryMilliseconds: 300_000)
    }

    private func event(_ offset: Int64) -> EventID { EventID(lane: 2, offset: offset) }

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

    private func restored(_ topic: RecordedTopic, journal: EventID?) -> (LaneLearning, RecordedTopic) {
        var learning = learning()
        for offset in topic.records.indices { topic.with(offset, input: 2) { record, _ in learning.recall(record) } }
        if let journal { learning.recall(Lesson(), at: journal) }
        var outputs = OutputBatch()
        learning.finishRestore(journal: journal, at: Self.time, topic: 2, into: &outputs)
        return (learning, records(outputs))
    }

    private func checkpoint(_ learning: inout LaneLearning, after seconds: Double) -> RecordedTopic {
        var outputs = OutputBatch()
        learning.checkpointIfDue(at: Self.time, topic: 2, into: &outputs)
        learning.checkpointIfDue(at: Self.time.advanced(bySeconds: seconds), topic: 2, into: &outputs)
        return records(outputs)
    }

    @Test("a lesson is read back as it was written, to the bit")
    func lesson() throws {
        var lesson = Lesson()
        lesson.at = Self.time
        lesson.parts = [
            PaceMemory.Part(cell: .max, meters: 0.1 + 0.2, seconds: 1 / 3),
            PaceMemory.Part(cell: 0, meters: 0, seconds: 7),
        ]
        lesson.values = [(.calibration, [1, 2, 3]), (.calibration, [])]
        var bytes = ByteWriter()
        lesson.encode(into: &bytes)
        let whole = bytes.count
        var offset = 0
        let found = try #require(Lesson(bytes.bytes.buffer, at: &offset))
        #expect(offset == whole)
        #expect(found.at == lesson.at)
        #expect(found.parts == lesson.parts)
        #expect(found.values.map(\.bytes) == [[1, 2, 3], []])
        for count in 0..<whole {
            offset = 0
            #expect(Lesson(UnsafeRawBufferPointer(rebasing: bytes.bytes.buffer[..<count]), at: &offset) == nil)
        }
    }

    @Test("a value of the whole lane comes back from a checkpoint, and the newest from the journal after it")
    func value() throws {
        var first = learning()
        first.beginLesson(at: event(5))
        first.learn(.calibration, [1])
        #expect(!first.lesson.isEmpty)
        first.endLesson()
        #expect(checkpoint(&first, after: 59.9).records.isEmpty)
        let topic = checkpoint(&first, after: 60)
        #expect(topic.records.map { String(decoding: $0.key, as: UTF8.self) } == ["calibration", "checkpoint"])
        #expect(topic.records.allSatisfy { $0.clock == event(5) })
        let (second, repeated) = restored(topic, journal: event(6))
        #expect(second.values[.calibration] == [1])
        #expect(repeated.records.isEmpty)

        var third = learning()
        for offset in topic.records.indices { topic.with(offset, input: 2) { record, _ in third.recall(record) } }
        for (offset, bytes) in [(Int64(4), [UInt8(9)]), (7, [2])] {
            var lesson = Lesson()
            lesson.values = [(.calibration, bytes)]
            third.recall(lesson, at: event(offset))
        }
        var outputs = OutputBatch()
        third.finishRestore(journal: event(8), at: Self.time, topic: 2, into: &outputs)
        #expect(third.values[.calibration] == [2])
        #expect(records(outputs).records.count == 2)
        third.beginLesson(at: event(8))
        third.learn(.calibration, [3])
        #expect(third.lesson.isEmpty, "What the journal contains is not learned again.")
    }

    @Test("a checkpoint without its end does not count")
    func partial() {
        var first = learning()
        first.beginLesson(at: event(5))
        first.learn(.calibration, [1])
        first.endLesson()
        var topic = checkpoint(&first, after: 60)
        topic.records.removeLast()
        let (second, repeated) = restored(topic, journal: event(5))
        #expect(second.values.isEmpty)
        // Nor does it count when the next one is whole.
        topic.records += repeated.records
        #expect(restored(topic, journal: event(5)).0.values.isEmpty)
    }

    @Test("topics made anew keep what was learned, and stamp it so that it counts", arguments: [nil, Int64(3)])
    func anew(journal: Int64?) {
        var first = learning()
        first.beginLesson(at: event(1000))
        first.learn(.calibration, [1])
        first.endLesson()
        var topic = checkpoint(&first, after: 60)
        var (second, repeated) = restored(topic, journal: journal.map { event($0) })
        #expect(second.values[.calibration] == [1])
        topic.records += repeated.records
        // Offsets are small again, and what is learned now still comes after what was.
        second.beginLesson(at: event(10))
        second.learn(.calibration, [2])
        #expect(!second.lesson.isEmpty)
        second.endLesson()
        topic.records += checkpoint(&second, after: 120).records
        #expect(restored(topic, journal: event(11)).0.values[.calibration] == [2])
    }
}
