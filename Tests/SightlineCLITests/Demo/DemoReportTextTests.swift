import Testing

@testable import Domain
@testable import SightlineCLI
@testable import Simulation
@testable import Support

@Suite("Demo report as text")
struct DemoReportTextTests {
    /// The report of a small run that has every figure.
    private var report: DemoReport {
        var figures = DemoFigures()
        figures.drivers = ["drv_0", "drv_1", "drv_2"]
        (figures.rawRecords, figures.fixes, figures.deadLetters) = (10_835, 10_911, 2)
        figures.verdicts = [.accepted: 10_615, .late: 47, .duplicate: 61, .rejected: 188]
        (figures.etas, figures.riderUpdates) = (11_408, 13_894)
        for offset in Int64(0)..<100 {
            figures.latency.recordSource(partition: 0, offset: offset, sentAt: Timestamp(milliseconds: 0))
            figures.latency.recordOutput(
                EventID(partition: 0, offset: offset), seenAt: Timestamp(milliseconds: offset + 1))
        }
        let here = Coordinate(latitude: 48, longitude: 11)
        let fix = AccuracyScore.Fix(driverID: "drv_0", sessionID: "s", sequence: 1)
        figures.accuracy.expect(
            FixGroundTruth(
                driverID: "drv_0", sessionID: "s", sequence: 1, coordinate: here, takenAt: Timestamp(milliseconds: 0),
                reported: here, conditions: ReceptionConditions(receiver: .raw, environment: .streetCanyon)))
        figures.accuracy.addVerdict(
            on: fix, reported: Coordinate(latitude: 48.0001, longitude: 11),
            estimate: Coordinate(latitude: 48.00005, longitude: 11))
        var eta = TripEta(tripID: "t", driverID: "drv_0", state: .accepted, computedAt: Timestamp(milliseconds: 0))
        eta.stops = [TripEta.Stop(id: "pickup", kind: .pickup, status: .valid)]
        (eta.stops[0].seconds, eta.stops[0].minSeconds, eta.stops[0].maxSeconds) = (100, 90, 110)
        figures.arrivals.add(eta)
        let trip = TripGroundTruth(
            tripID: "t", driverID: "drv_0", kind: .ride,
            stops: [TripGroundTruth.Stop(id: "pickup", arrivedAt: Timestamp(milliseconds: 104_000))], state: .arrived)
        let drivers = (0..<4).map { DriverGroundTruth(driverID: "drv_\($0)", cheat: $0 == 1 ? .teleport : nil) }
        figures.spoofing.expect(drivers)
        figures.spoofing.addRejection(of: "drv_0", reasons: .clockSkew, at: Timestamp(milliseconds: 0))
        let checks = AuditChecks(examples: 1).all()
        for check in checks { check.compared = 10_911 }
        return DemoReport(
            figures: figures, drivers: drivers, trips: [trip],
            audit: AuditReport(partitions: [0, 1], checks: checks, recordsRead: 1, isOfRun: true),
            notifications: [
                DemoPhone.Notification(title: "Your driver is on the way", body: "A driver has accepted your trip."),
                DemoPhone.Notification(title: "You have arrived", body: "How was your ride? Rate it in the app."),
            ], isLive: true)
    }

    @Test("the report equals the stored text at 80 columns")
    func stored() throws {
        try StoredText("demo/report-80.txt").expect(report.lines(width: 80).map { $0.text(hasColor: false) })
    }

    @Test("output to a pipe has each figure and its meaning in one line")
    func pipe() {
        let lines = report.lines(width: nil).map { $0.text(hasColor: false) }
        let rows = report.rows.filter { !$0.figure.isEmpty }
        #expect(rows.allSatisfy { row in lines.contains { $0.contains(row.name) && $0.hasSuffix(row.meaning) } })
    }

    @Test("lines fit the width", arguments: [42, 43, 60, 79, 80, 81, 160, 400])
    func widths(width: Int) {
        let lines = report.lines(width: width)
        #expect(lines.allSatisfy { $0.width <= width })
        #expect(lines.contains { $0.text(hasColor: false).hasPrefix("No differences.") })
    }
}
