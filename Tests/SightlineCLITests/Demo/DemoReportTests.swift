import Foundation
import Testing

@testable import Domain
@testable import SightlineCLI
@testable import Simulation
@testable import Support

@Suite("Demo report")
struct DemoReportTests {
    /// Returns the figures of a partition's raw records, verdicts, dead letters and warnings.
    private func figures(_ partition: AuditedPartition) -> DemoFigures {
        var figures = DemoFigures()
        let reader = DemoReader()
        let outputs = partition.outputs
        for (topic, records): (PipelineTopic, [AuditedRecord]) in [
            (.rawLocations, partition.raw), (.locations, outputs[0]), (.locationsDeadLetter, outputs[1]),
            (.warnings, outputs[2]),
        ] {
            let input = DemoReader.topics.firstIndex(of: topic) ?? -1
            for record in records {
                record.withRecord(input) { record, _ in
                    reader.add(record, seenAt: Timestamp(milliseconds: 0), to: &figures)
                }
            }
        }
        return figures
    }

    private func report(_ figures: DemoFigures = DemoFigures(), isLive: Bool = true) -> DemoReport {
        let audit = AuditReport(partitions: [0], checks: [AuditCheck("verdicts", "", exampleLimit: 1)], recordsRead: 1)
        return DemoReport(figures: figures, drivers: [], trips: [], audit: audit, isLive: isLive)
    }

    @Test("each readable fix has a verdict, each unreadable record a dead letter, and missing verdicts are counted")
    func outcomes() throws {
        var partition = AuditedPartition()
        let complete = figures(partition)
        #expect(complete.rawRecords == 60 && complete.drivers == ["drv_0", "drv_1", "drv_2"])
        // Six records are unreadable, and six have two fixes.
        #expect(complete.fixes == 60 && complete.deadLetters == 6 && complete.waiting == 0)
        #expect(complete.verdicts.values.reduce(0, +) == 60)
        partition.verdicts.removeLast(3)
        #expect(figures(partition).waiting == 3)
    }

    @Test("a repeated record is counted once")
    func repeated() throws {
        var partition = AuditedPartition()
        let once = figures(partition)
        partition.verdicts += partition.verdicts.suffix(5)
        partition.outputs[1].append(partition.outputs[1][0])
        let twice = figures(partition)
        #expect(twice.verdicts == once.verdicts && twice.deadLetters == once.deadLetters && twice.waiting == 0)
    }

    @Test("latency is measured from the raw record to the derived record, whichever is read first")
    func latency() {
        var meter = LatencyMeter(countedFrom: Timestamp(milliseconds: 1_000_000))
        for offset in Int64(-1)..<100 {
            let event = EventID(partition: 0, offset: offset + 1)
            let sent = Timestamp(milliseconds: 1_000_000 + offset * 100)
            let seen = Timestamp(milliseconds: sent.milliseconds + offset + 1)
            if offset % 2 == 0 { meter.recordOutput(event, seenAt: seen) }
            meter.recordSource(partition: 0, offset: offset + 1, sentAt: sent)
            if offset % 2 != 0 { meter.recordOutput(event, seenAt: seen) }
            meter.recordOutput(event.withPunctuation(1), seenAt: Timestamp(milliseconds: 9_000_000))
            meter.recordOutput(
                EventID(origin: .trips, partition: 0, offset: offset + 1), seenAt: Timestamp(milliseconds: 9_000_000))
        }
        #expect(meter.times.count == 100, "raw records sent before `countedFrom` do not count")
        #expect(meter.times.summary == "p50 50 ms, p99 99 ms")
    }

    @Test("no latency is shown for a recording, whose times are old")
    func recording() {
        var figures = DemoFigures()
        figures.latency.recordSource(partition: 0, offset: 0, sentAt: Timestamp(milliseconds: 0))
        figures.latency.recordOutput(EventID(partition: 0, offset: 0), seenAt: Timestamp(milliseconds: 7))
        let text = { (isLive: Bool) in
            report(figures, isLive: isLive).lines(width: nil).map { $0.text(hasColor: false) }
        }
        #expect(text(true).contains { $0.hasPrefix("  latency p50 ") && $0.contains(" 7 ms ") })
        #expect(!text(false).contains { $0.contains("p50") })
        let rows = { (isLive: Bool) in
            DemoTable.rows(figures, figures.latency.times, rate: 0, isLive: isLive).map(\.text)
        }
        #expect(rows(true).contains("0 updates, p50 7 ms, p99 7 ms") && rows(false).contains("0 updates"))
    }

    @Test("output to a pipe has the figures in one line")
    func line() {
        var partition = AuditedPartition()
        partition.verdicts.removeLast(3)
        let rows = DemoTable.rows(figures(partition), LatencyHistogram(), rate: 20, isLive: true)
        let lag = DemoTable.lag([WorkerRow(stage: "eta", lag: 4), WorkerRow(stage: "history")])
        let line = DemoTable.line("replaying x.csv", elapsed: 65, rows + [("lag", lag)])
        #expect(line.hasPrefix("65 s: replaying x.csv; drivers 3; locations 60, 20/s, 3 without a verdict yet; "))
        #expect(line.hasSuffix("; warnings 0, dead letters 6; lag eta 4, history 0"))
        #expect(DemoTable.lag([]) == "–")
    }

    @Test("the JSON has every key, null for missing figures, and the report of the audit")
    func json() throws {
        let data = try ReportFile.json(report(figures(AuditedPartition()), isLive: false))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "drivers", "raw_records", "fixes", "verdicts", "dead_letters", "rider_updates", "latency_ms",
                "notifications", "smoothing", "spoofing", "eta", "audit",
            ])
        for key in ["latency_ms", "notifications", "smoothing", "spoofing", "eta"] { #expect(object[key] is NSNull) }
        let verdicts = try #require(object["verdicts"] as? [String: Int])
        #expect(Set(verdicts.keys) == ["accepted", "late", "duplicate", "throttled", "rejected"])
        #expect(verdicts.values.reduce(0, +) == 60)
        #expect((object["audit"] as? [String: Any])?["differences"] as? Int == 0)
    }

    @Test("the JSON has errors by receiver and surroundings, and rejected fixes of honest drivers")
    func receiversInJSON() throws {
        var figures = DemoFigures()
        let (here, there) = (Coordinate(latitude: 48, longitude: 11), Coordinate(latitude: 48.001, longitude: 11))
        let drivers = [DriverGroundTruth(driverID: "d", cheat: nil)]
        figures.drivers = ["d"]
        figures.spoofing.expect(drivers)
        figures.spoofing.addRejection(of: "d", reasons: .clockSkew, at: Timestamp(milliseconds: 0))
        figures.expect(
            FixGroundTruth(
                driverID: "d", sessionID: "s", sequence: 1, coordinate: here, takenAt: Timestamp(milliseconds: 0),
                reported: there, conditions: ReceptionConditions(receiver: .raw, environment: .openRoad)))
        figures.accuracy.addVerdict(
            on: AccuracyScore.Fix(driverID: "d", sessionID: "s", sequence: 1), reported: there, estimate: here)
        let audit = AuditReport(partitions: [0], checks: [], recordsRead: 0)
        let report = DemoReport(figures: figures, drivers: drivers, trips: [], audit: audit, isLive: true)
        let object = try JSONSerialization.jsonObject(with: try ReportFile.json(report)) as? [String: Any]
        let smoothing = try #require(object?["smoothing"] as? [String: Any])
        let group = try #require((smoothing["by_receiver"] as? [[String: Any]])?.first)
        #expect(group["receiver"] as? String == "raw" && group["surroundings"] as? String == "open_road")
        #expect(group["fixes"] as? Int == 1 && group["smoothed_rmse_meters"] as? Double == 0)
        #expect((group["raw_rmse_meters"] as? Double).map { abs($0 - 111.2) < 0.5 } == true)
        #expect((object?["spoofing"] as? [String: Any])?["honest_fixes_rejected"] as? Int == 1)
    }

    @Test("the text marks missing figures, and ends with the audit")
    func text() {
        let check = AuditCheck("verdicts", "", exampleLimit: 1)
        check.add(AuditDifference(kind: .missing, partition: 3, what: "the record does not exist"))
        let audit = AuditReport(partitions: [3], checks: [check], recordsRead: 1)
        let report = DemoReport(figures: DemoFigures(), drivers: [], trips: [], audit: audit, isLive: false)
        let text = report.lines(width: nil).map { $0.text(hasColor: false) }.joined(separator: "\n")
        for name in ["latency", "notifications", "smoothing", "spoofing", "ETA predictions"] {
            #expect(
                text.split(separator: "\n").contains {
                    $0.hasPrefix("  \(name)") && $0.hasSuffix("  not measured in this run")
                },
                "\(name)")
        }
        #expect(text.hasSuffix(audit.text) && audit.text.hasSuffix("1 difference."))
        let terminal = report.lines(width: 80).map { $0.text(hasColor: false) }
        #expect(terminal.last == "1 difference." && terminal.contains { $0.contains("the record does not exist") })
    }

    @Test("each driver of the fleet is counted in exactly one line")
    func sums() throws {
        var figures = DemoFigures()
        let window = CheatWindow(from: Timestamp(milliseconds: 0), to: Timestamp(milliseconds: 9000), forgedFixes: 9)
        var brief = window
        brief.forgedFixes = 1
        let drivers = [
            DriverGroundTruth(driverID: "caught", cheat: .teleport, windows: [window]),
            DriverGroundTruth(driverID: "missed", cheat: .teleport, windows: [window]),
            DriverGroundTruth(driverID: "brief", cheat: .teleport, windows: [brief]),
            DriverGroundTruth(driverID: "waiting", cheat: .mockFlag), DriverGroundTruth(driverID: "honest", cheat: nil),
            DriverGroundTruth(driverID: "flagged", cheat: nil), DriverGroundTruth(driverID: "silent", cheat: nil),
            DriverGroundTruth(driverID: "silent cheater", cheat: .teleport),
        ]
        figures.spoofing.expect(drivers)
        figures.spoofing.addWarning(of: "caught", reason: .teleportation, at: Timestamp(milliseconds: 1000))
        figures.spoofing.addRejection(of: "flagged", reasons: .impossibleSpeed, at: Timestamp(milliseconds: 1000))
        figures.drivers = ["caught", "missed", "brief", "waiting", "honest", "flagged"]
        let audit = AuditReport(partitions: [0], checks: [], recordsRead: 0)
        let report = DemoReport(figures: figures, drivers: drivers, trips: [], audit: audit, isLive: true)
        func figure(_ name: String) -> String? { report.rows.first { $0.name == name }?.figure }
        #expect(figure("cheaters caught") == "1" && figure("cheaters missed") == "1")
        #expect(figure("cheaters too brief") == "2" && figure("silent") == "2")
        #expect(figure("honest, accepted") == "1" && figure("honest, rejected") == "1")
        let sum = try #require(report.rows.first { $0.name == "all drivers" })
        #expect(sum.figure == "8" && sum.unit == "of 8" && sum.isGood == true)
    }
}
