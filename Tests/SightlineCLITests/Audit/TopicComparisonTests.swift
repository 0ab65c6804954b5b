import Testing

@testable import Domain
@testable import SightlineCLI

@Suite("Comparing topics with outputs of the reprocessed raw topic")
struct TopicComparisonTests {
    private let partition = AuditedPartition()

    @Test("unchanged outputs have no differences, and each fix and dead letter is compared once")
    func clean() throws {
        let checks = try partition.audit()
        #expect(checks.map(\.differences) == [0, 0, 0])
        #expect(checks[0].compared == 60, "of 60 records, 6 are unreadable and 6 have two fixes")
        #expect(checks[1].compared == 6)
        #expect(checks.allSatisfy { $0.repeated == 0 && $0.tolerated.isEmpty })
    }

    @Test("a removed verdict is missing", arguments: [0, 31, 59])
    func missing(index: Int) throws {
        var partition = partition
        let event = partition.verdicts[index].event
        partition.verdicts.remove(at: index)
        let check = try partition.audit()[0]
        #expect(check.counts == [.missing: 1])
        #expect(check.examples.first?.event == event && check.examples.first?.key.hasPrefix("drv_") == true)
    }

    @Test("a record that nothing in the input produces is unexpected")
    func unexpected() throws {
        var partition = partition
        var unknown = partition.verdicts[59]
        unknown.event = EventID(partition: 2, offset: 60)
        partition.verdicts.append(unknown)
        // A third fix of a batch of two fixes, in the middle of the partition.
        let index = try #require(partition.verdicts.firstIndex { $0.event == EventID(partition: 2, offset: 8) })
        var part = partition.verdicts[index - 1]
        part.event = EventID(partition: 2, offset: 7).withFix(2)
        partition.verdicts.insert(part, at: index)
        let check = try partition.audit()[0]
        #expect(check.counts == [.unexpected: 2] && check.compared == 60)
        #expect(check.examples.map(\.event) == [part.event, unknown.event])
    }

    @Test("a record with a different value, key, time, state or reason is wrong")
    func wrongByte() throws {
        let corruptions: [(String, (inout AuditedRecord) -> Void)] = [
            ("the value differs at byte 20", { $0.value?[20] ^= 1 }), ("the key is", { $0.key[0] ^= 1 }),
            ("the time is", { $0.timestamp = $0.timestamp.advanced(bySeconds: 0.001) }),
            ("the state header", { $0.state[0] ^= 1 }), ("the value differs", { $0.value = nil }),
            ("the value differs", { $0.value?.append(32) }),
        ]
        for (what, corrupt) in corruptions {
            var partition = partition
            corrupt(&partition.verdicts[17])
            let check = try partition.audit()[0]
            #expect(check.counts == [.wrong: 1], "\(what)")
            #expect(check.examples.first?.what.contains(what) == true && check.examples.first?.offset == 17)
        }
        var letters = partition
        letters.outputs[1][2].reason = "WRONG_TYPE"
        #expect(try letters.audit()[1].counts == [.wrong: 1])
    }

    @Test("records that a paused worker repeats are counted, and are differences only on request")
    func repeated() throws {
        var partition = partition
        // A paused worker writes a batch that its successor has already written.
        partition.verdicts.insert(contentsOf: partition.verdicts[20..<33], at: 30)
        let check = try partition.audit()[0]
        #expect(check.counts == [:] && check.repeated == 13 && check.compared == 60)
        let strict = try partition.audit(countsRepeats: true)[0]
        #expect(strict.counts == [.duplicate: 13] && strict.repeated == 0)
    }

    @Test("a repetition with different bytes contradicts the first record, even if repetitions are no differences")
    func contradictingRepetition() throws {
        var partition = partition
        var repetition = partition.verdicts[25]
        repetition.value?[40] ^= 1
        partition.verdicts.insert(repetition, at: 28)
        let check = try partition.audit()[0]
        #expect(check.counts == [.contradicted: 1] && check.repeated == 0 && check.compared == 60)
        #expect(check.examples.first?.event == repetition.event && check.examples.first?.offset == 28)
        #expect(try partition.audit(countsRepeats: true)[0].counts == [.contradicted: 1])
    }

    @Test("a record that was written after its successors is out of order, and not missing")
    func outOfOrder() throws {
        var partition = partition
        let moved = partition.verdicts.remove(at: 25)
        partition.verdicts.insert(moved, at: 28)
        let check = try partition.audit()[0]
        #expect(check.counts == [.outOfOrder: 1])
        #expect(check.examples.first?.event == moved.event && check.examples.first?.offset == 28)
    }

    @Test("a record without an event id is unreadable, and its verdict missing")
    func unreadable() throws {
        var partition = partition
        partition.verdicts[5].event = nil
        #expect(try partition.audit()[0].counts == [.unreadable: 1, .missing: 1])
    }

    @Test("input that arrived during the audit needs no verdict")
    func tooNew() throws {
        var partition = partition
        partition.verdicts.removeLast(10)
        let settled = try #require(partition.verdicts.last?.event?.offset) + 1
        let check = try partition.audit(due: settled)[0]
        #expect(check.counts == [:] && check.tolerated == [.tooNew: 10])
        #expect(try partition.audit(due: settled + 1)[0].counts == [.missing: 1])
    }

    @Test("if the start of the topics is deleted, the first remaining minutes restore the state")
    func cut() throws {
        var partition = AuditedPartition(count: 700)
        partition.raw.removeFirst(50)
        partition.verdicts.removeFirst(70)
        partition.outputs[1].removeFirst(4)
        #expect(try partition.audit()[0].differences > 0)
        let checks = try partition.audit(isStartDeleted: true)
        #expect(checks.map(\.differences) == [0, 0, 0])
        // Restored: 15 minutes, the duration of a flag, with a record every 3 s and sometimes two fixes.
        #expect((270...345).contains(checks[0].tolerated[.retention] ?? 0) && checks[0].compared > 200)
        partition.verdicts[550].value?[40] ^= 1
        #expect(try partition.audit(isStartDeleted: true)[0].counts == [.wrong: 1])
    }

    @Test("the audit of a run compares only the run's records, and restores the state from earlier records")
    func run() throws {
        var partition = AuditedPartition(count: 300)
        let clean = try partition.audit(since: 150)
        #expect(clean.map(\.differences) == [0, 0, 0])
        #expect(clean[0].compared == partition.verdicts.count { ($0.event?.offset ?? 0) >= 150 })
        #expect(clean.allSatisfy { $0.tolerated == [:] })
        // Errors before the run are not counted; errors of the same kinds in the run are counted.
        partition.outputs[1].removeFirst()
        partition.verdicts[20].value?[40] ^= 1
        #expect(try partition.audit().map(\.counts) == [[.wrong: 1], [.missing: 1], [:]])
        #expect(try partition.audit(since: 150).map(\.differences) == [0, 0, 0])
        partition.outputs[1].removeLast()
        partition.verdicts[250].value?[40] ^= 1
        #expect(try partition.audit(since: 150).map(\.counts) == [[.wrong: 1], [.missing: 1], [:]])
    }

    @Test("records of two origins may be interleaved differently, but each origin keeps its order")
    func twoOrigins() throws {
        func record(_ event: EventID) -> AuditedRecord {
            AuditedRecord(
                partition: 0, offset: 0, event: event, timestamp: AuditedPartition.start, key: [1],
                value: Array(event.description.utf8))
        }
        let raw = (0..<4).map { record(EventID(partition: 0, offset: $0)) }
        let trips = (0..<3).map { record(EventID(origin: .trips, partition: 0, offset: $0)) }
        let expected = [trips[0], raw[0], raw[1], trips[1], raw[2], trips[2], raw[3]]
        func counts(_ written: [AuditedRecord]) throws -> [AuditDifference.Kind: Int] {
            let check = AuditCheck("", "", exampleLimit: 3)
            let comparison = TopicComparison(RecordList(written), check: check)
            for record in expected { try comparison.expect(record, isDue: true) }
            try comparison.finish()
            return check.counts
        }
        #expect(try counts(expected) == [:])
        #expect(try counts([raw[0], trips[0], raw[1], raw[2], trips[1], trips[2], raw[3]]) == [:])
        #expect(try counts([raw[0], raw[1], trips[1], raw[2], trips[2], raw[3]]) == [.missing: 1])
        #expect(try counts([trips[0], raw[0], raw[1], trips[1], raw[2], trips[2]]) == [.missing: 1])
        #expect(try counts(expected + [record(EventID(partition: 0, offset: 9))]) == [.unexpected: 1])
    }
}
