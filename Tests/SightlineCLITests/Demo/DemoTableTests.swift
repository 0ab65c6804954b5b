import Testing

@testable import SightlineCLI

@Suite("Progress table of a demo")
struct DemoTableTests {
    private let rows = [
        (name: "live map", text: "http://127.0.0.1:8080/map"), (name: "locations", text: "10835, 181/s"),
    ]

    @Test("the table has the figures and a row per worker")
    func table() {
        let workers = [
            WorkerRow(stage: "location", instances: 2, partitions: 6, lag: 14, recordsPerSecond: 181),
            WorkerRow(stage: "history"),
        ]
        let lines = DemoTable.table("200 simulated drivers", elapsed: 65, rows, workers)
        #expect(
            lines.map { $0.text(hasColor: false) } == [
                "Sightline 1:05  200 simulated drivers", "  live map   http://127.0.0.1:8080/map",
                "  locations  10835, 181/s", "", "  worker           instances  partitions  records/s  lag",
                "  ---------------  ---------  ----------  ---------  ---",
                "  location-worker          2           6        181   14",
                "  history-worker           0           0          –    0",
            ])
    }

    @Test("without worker metrics, the table has only the figures, below a bold title")
    func noWorkers() {
        let lines = DemoTable.table("audit", elapsed: 5, rows, [])
        #expect(lines.count == 3 && lines[0].text(hasColor: true).hasPrefix("\u{1b}[1mSightline\u{1b}[0m 0:05"))
    }
}
