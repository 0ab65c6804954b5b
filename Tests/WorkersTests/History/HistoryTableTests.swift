import Foundation
import TestSupport
import Testing

@testable import Domain
@testable import HistoryWorker

@Suite("History tables")
struct HistoryTableTests {
    @Test("the sink writes the columns that the migrations create, in their order")
    func columns() throws {
        try check(HistoryTables.locations)
        try check(HistoryTables.smoothed)
        try check(HistoryTables.warnings)
        try check(HistoryTables.tripEvents)
        try check(HistoryTables.etas)
        try check(HistoryTables.tripWarnings)
    }

    private func check(_ table: HistoryTable<some Any>) throws {
        let schema = Migration.all.map(\.script).joined()
        let start = try #require(schema.range(of: "CREATE TABLE \(table.name) ("))
        let end = try #require(schema.range(of: ") PARTITION BY", range: start.upperBound..<schema.endIndex))
        let names = schema[start.upperBound..<end.lowerBound].split(separator: "\n")
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        let added = schema.matches(of: /ALTER TABLE (\w+) ADD COLUMN (\w+)/).filter { $0.1 == table.name }
        #expect(table.columns.map(\.name) == names + added.map { String($0.2) })
    }

    @Test("the enumerations of the database contain every verdict and confidence")
    func enumerations() {
        let schema = Migration.all.map(\.script).joined()
        let verdicts = Verdict.allCases.map { "'\($0.code)'" }.joined(separator: ", ")
        let levels = Confidence.allCases.map { "'\($0.code)'" }.joined(separator: ", ")
        #expect(schema.contains("CREATE TYPE location_verdict AS ENUM (\(verdicts));"))
        #expect(schema.contains("CREATE TYPE confidence_level AS ENUM (\(levels));"))
    }
}

@Suite("Embedded migrations")
struct MigrationTests {
    private let folder = Checkout.root.appendingPathComponent("Sources/Workers/History/Schema")

    @Test("the embedded migrations equal the files in History/Schema")
    func sameAsFiles() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".sql") }.sorted()
        #expect(Migration.all.map { $0.title + ".sql" } == names)
        for migration in Migration.all {
            let file = folder.appendingPathComponent(migration.title + ".sql")
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(migration.script + "\n" == text, "\(migration.title) differs")
        }
    }

    @Test("versions count from 1 without gaps")
    func versions() {
        #expect(Migration.all.map(\.version) == Array(1...Migration.all.count))
    }
}
