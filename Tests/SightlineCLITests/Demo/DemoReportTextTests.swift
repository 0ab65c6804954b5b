import Testing

@testable import Model
@testable import SightlineCLI
@testable import Simulation
@testable import Support

@Suite("The report of a run on a terminal")
struct DemoReportTextTests {
    /// A run of a small fleet with every figure known.
    private var report: DemoReport {
        var figures = DemoFigures()
        figures.drivers = ["drv_0", "drv_1", "drv_2"]
        (figures.rawRecords, figures.fixes, figures.deadLetters) = (10_835, 10_911, 2)
        figures.verdicts = [.accepted: 10_615, .late: 47, .duplicate: 61, .rejected: 188]
        (figures.etas, figures.riderUpdates) = (11_408, 13_894)
        for offset in Int64(0)..<100 {
            figures.latency.noteRaw(partition: 0, offset: offset, sentAt: Timestamp(milliseconds: 0))
            figures.latency.note(EventID(partition: 0, offset: offset), seenAt: Timestamp(milliseconds: offset + 1))
        }
        let here = Coordinate(latitude: 48, longitude: 11)
        let fix = AccuracyScore.Fix(driverID: "drv_0", sessionID: "s", sequence: 1)
        figures.accuracy.expect(
            FixTruth(
                driverID: "drv_0", sessionID: "s", sequence: 1, coordinate: here, takenAt: Timestamp(milliseconds: 0),
                reported: here, conditions: MeasuringConditions(receiver: .raw, surroundings: .streetCanyon)))
        figures.accuracy.note(
            fix, reported: Coordinate(latitude: 48.0001, longitude: 11),
            estimate: Coordinate(latitude: 48.00005, longitude: 11))
        var eta = TripEta(tripID: "t", driverID: "drv_0", state: .accepted, computedAt: Timestamp(milliseconds: 0))
        eta.stops = [TripEta.Stop(id: "pickup", kind: .pickup, status: .valid)]
        (eta.stops[0].seconds, eta.stops[0].minSeconds, eta.stops[0].maxSeconds) = (100, 90, 110)
        figures.arrivals.note(eta)
        let trip = TripTruth(
            tripID: "t", driverID: "drv_0", kind: .ride,
            stops: [TripTruth.Stop(id: "pickup", arrivedAt: Timestamp(milliseconds: 104_000))], state: .arrived)
        let drivers = (0..<4).map { DriverTruth(driverID: "drv_\($0)", cheat: $0 == 1 ? .teleport : nil) }
        figures.spoofing.expect(drivers)
        figures.spoofing.noteRejection(of: "drv_0", reasons: .clockSkew, at: Timestamp(milliseconds: 0))
        let checks = AuditChecks(exampleLimit: 1, countsRepeats: false).all
        for check in checks { check.compared = 10_911 }
        return DemoReport(
            figures: figures, drivers: drivers, trips: [trip],
            audit: AuditReport(partitions: [0, 1], checks: checks, recordsRead: 1, isOfRun: true),
            notifications: [
                DemoPhone.Notification(title: "Your driver is on the way", body: "A driver has accepted your trip."),
                DemoPhone.Notification(title: "You have arrived", body: "How was your ride? Rate it in the app."),
            ], isLive: true)
    }

    @Test("it is as stored at 80, 160 and 42 columns", arguments: [80, 160, 42])
    func stored(width: Int) throws {
        let lines = report.lines(width: width)
        try StoredText("demo/report-\(width).txt").expect(lines.map { $0.text(hasColor: false) })
        #expect(lines.allSatisfy { $0.width <= width })
    }

    @Test("a pipe gets it as stored, each figure with its meaning in one line")
    func pipe() throws {
        try StoredText("demo/report-pipe.txt").expect(report.lines(width: nil).map { $0.text(hasColor: false) })
    }

    @Test("no width breaks it", arguments: [1, 5, 20, 41, 43, 60, 79, 81, 400])
    func widths(width: Int) {
        let lines = report.lines(width: width)
        #expect(lines.contains { $0.text(hasColor: false).hasPrefix("No differences.") })
    }
}
