import Foundation
import Pipeline
import Testing
import Tracking

@testable import SightlineCLI

@Suite("The report of a run")
struct DemoReportTests {
    /// What a reader makes of the raw records, verdicts and dead letters of a partition.
    private func figures(_ partition: AuditedPartition) -> DemoFigures {
        var figures = DemoFigures()
        let reader = DemoReader()
        let outputs = partition.outputs
        for (topic, records): (PipelineTopic, [AuditedRecord]) in [
            (.rawLocations, partition.raw), (.locations, outputs[0]), (.locationsDeadLetter, outputs[1]),
            (.warnings, outputs[2]),
        ] {
            let place = DemoReader.topics.firstIndex(of: topic) ?? -1
            for record in records {
                record.withRecord(place) { record, _ in
                    reader.take(record, seenAt: Timestamp(milliseconds: 0), into: &figures)
                }
            }
        }
        return figures
    }

    private func report(_ figures: DemoFigures = DemoFigures(), isLive: Bool = true) -> DemoReport {
        let audit = AuditReport(partitions: [0], checks: [AuditCheck("verdicts", "", exampleLimit: 1)], recordsRead: 1)
        return DemoReport(figures: figures, drivers: [], trips: [], audit: audit, isLive: isLive)
    }

    @Test("every fix waits for one outcome: a verdict, or a dead letter where it cannot be read")
    func outcomes() throws {
        var partition = AuditedPartition()
        let whole = figures(partition)
        #expect(whole.rawRecords == 60 && whole.drivers == ["drv_0", "drv_1", "drv_2"])
        // Six records cannot be read, and six have two fixes.
        #expect(whole.fixes == 60 && whole.deadLetters == 6 && whole.waiting == 0)
        #expect(whole.verdicts.values.reduce(0, +) == 60)
        partition.verdicts.removeLast(3)
        #expect(figures(partition).waiting == 3)
    }

    @Test("a record that its topic holds twice is counted once, as by every reader")
    func repeated() throws {
        var partition = AuditedPartition()
        let whole = figures(partition)
        partition.verdicts += partition.verdicts.suffix(5)
        partition.outputs[1].append(partition.outputs[1][0])
        let again = figures(partition)
        #expect(again.verdicts == whole.verdicts && again.deadLetters == whole.deadLetters && again.waiting == 0)
    }

    @Test("latency is from the raw record to what was made of it, whichever of both is read first")
    func latency() {
        var meter = LatencyMeter(countedFrom: Timestamp(milliseconds: 1_000_000))
        for offset in Int64(-1)..<100 {
            let event = EventID(partition: 0, offset: offset + 1)
            let sent = Timestamp(milliseconds: 1_000_000 + offset * 100)
            let seen = Timestamp(milliseconds: sent.milliseconds + offset + 1)
            if offset % 2 == 0 { meter.note(event, seenAt: seen) }
            meter.noteRaw(partition: 0, offset: offset + 1, sentAt: sent)
            if offset % 2 != 0 { meter.note(event, seenAt: seen) }
            meter.note(event.withPunctuation(1), seenAt: Timestamp(milliseconds: 9_000_000))
            meter.note(
                EventID(origin: .trips, partition: 0, offset: offset + 1), seenAt: Timestamp(milliseconds: 9_000_000))
        }
        #expect(meter.times.count == 100, "what was sent before does not count")
        #expect(meter.times.summary == "p50 50 ms, p99 99 ms")
    }

    @Test("the latency of a recording, which carries old times, is not told")
    func recording() {
        var figures = DemoFigures()
        figures.latency.noteRaw(partition: 0, offset: 0, sentAt: Timestamp(milliseconds: 0))
        figures.latency.note(EventID(partition: 0, offset: 0), seenAt: Timestamp(milliseconds: 7))
        #expect(report(figures).text.contains("p50 7 ms"))
        #expect(!report(figures, isLive: false).text.contains("p50"))
        let rows = { (isLive: Bool) in DemoTable.rows(figures, rate: 0, isLive: isLive, lag: nil).map(\.text) }
        #expect(rows(true).contains("0 updates, p50 7 ms, p99 7 ms") && rows(false).contains("0 updates"))
    }

    @Test("the table shows the run's figures below one another, and a pipe gets them in one line")
    func table() {
        var partition = AuditedPartition()
        partition.verdicts.removeLast(3)
        let rows = DemoTable.rows(figures(partition), rate: 20, isLive: true, lag: "eta 4")
        let table = DemoTable.table("replaying x.csv", elapsed: 65, rows)
        #expect(table.first == "Sightline 1:05  replaying x.csv")
        #expect(table.contains("  locations  60, 20/s, 3 without a verdict yet"))
        #expect(table.last == "  lag        eta 4")
        let line = DemoTable.line("replaying x.csv", elapsed: 65, rows)
        #expect(line.hasPrefix("65 s: replaying x.csv; drivers 3; locations 60, 20/s, 3 without a verdict yet; "))
        #expect(line.hasSuffix("; warnings 0, dead letters 6; lag eta 4"))
    }

    @Test("the JSON has every key, null for what could not be measured, and the audit's report")
    func json() throws {
        let data = try ReportFile.json(report(figures(AuditedPartition()), isLive: false))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "raw_records", "fixes", "verdicts", "dead_letters", "rider_updates", "latency_ms", "smoothing",
                "spoofing", "eta", "audit",
            ])
        for key in ["latency_ms", "smoothing", "spoofing", "eta"] { #expect(object[key] is NSNull) }
        let verdicts = try #require(object["verdicts"] as? [String: Int])
        #expect(Set(verdicts.keys) == ["accepted", "late", "duplicate", "throttled", "rejected"])
        #expect(verdicts.values.reduce(0, +) == 60)
        #expect((object["audit"] as? [String: Any])?["differences"] as? Int == 0)
    }

    @Test("the text says what could not be measured, and ends with what the audit found")
    func text() {
        let check = AuditCheck("verdicts", "", exampleLimit: 1)
        check.note(AuditDifference(kind: .missing, partition: 3, what: "there is no record for it"))
        let audit = AuditReport(partitions: [3], checks: [check], recordsRead: 1)
        let text = DemoReport(figures: DemoFigures(), drivers: [], trips: [], audit: audit, isLive: false).text
        #expect(text.contains("  smoothing      not measurable here"))
        #expect(text.hasSuffix(audit.text) && audit.text.hasSuffix("1 differences."))
    }
}
