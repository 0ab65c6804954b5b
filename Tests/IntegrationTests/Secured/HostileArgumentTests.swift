import Foundation
import TestSupport
import Testing

@Suite(
    "History commands with hostile arguments", .blocking,
    .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint),
    .timeLimit(.minutes(10)))
struct HostileArgumentTests {
    private let database: HistoryDatabase

    init() throws { database = try HistoryDatabase() }

    @Test("queries for hostile ids find nothing and change nothing")
    func hostileIDs() async throws {
        let locations = HistoryRecords(.locations)
        locations.addVerdict(of: "drv_1")
        _ = try database.sink().write([locations.batch()])
        // Arguments of a process cannot contain NUL.
        for id in HostileText.all where !id.contains("\u{0}") {
            let queries = [
                ["driver-track", id], ["position-at", id, "now"], ["trip-path", id], ["trip-distance", id],
            ]
            for words in queries {
                let output = try await Program.run(
                    "sightline", ["history"] + words + ["--format", "json"],
                    environment: ["POSTGRES_URL": database.url], logs: FileManager.default.temporaryDirectory)
                #expect(!output.contains("drv_1"), "\(words)")
            }
        }
        #expect(try database.number("SELECT count(*) FROM location_history") == 1)
    }

    @Test("hostile times are errors and change nothing")
    func hostileTimes() async throws {
        for time in ["'; DROP TABLE location_history; --", "now(); SELECT 1"] {
            await #expect(throws: Program.Failure.self) {
                try await Program.run(
                    "sightline", ["history", "position-at", "drv_1", time], environment: ["POSTGRES_URL": database.url],
                    logs: FileManager.default.temporaryDirectory)
            }
        }
        #expect(try database.number("SELECT count(*) FROM location_history") == 0)
    }
}
