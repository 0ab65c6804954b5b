import Foundation
import Testing

@testable import Domain
@testable import HistoryWorker

@Suite("History tables")
struct HistoryTableTests {
    @Test("the sink writes the columns that the migrations create, in their order")
    func columns() throws {
        let schema = Migration.all.map(\.script).joined()
        for table in HistoryTable.allCases {
            let start = try #require(schema.range(of: "CREATE TABLE \(table.rawValue) ("))
            let end = try #require(schema.range(of: ") PARTITION BY", range: start.upperBound..<schema.endIndex))
            let names = schema[start.upperBound..<end.lowerBound].split(separator: "\n")
                .compactMap { $0.split(separator: " ").first.map(String.init) }
            let renamed = renames(in: table.rawValue, schema)
            #expect(
                table.columns == (names + addedLater(to: table.rawValue, in: schema)).map { renamed[$0] ?? $0 })
        }
    }

    /// The columns of `ALTER TABLE … ADD COLUMN …, ADD COLUMN …;`, in order.
    private func addedLater(to table: String, in schema: String) -> [String] {
        schema.components(separatedBy: "ALTER TABLE \(table)\n").dropFirst().flatMap { statement in
            statement.prefix { $0 != ";" }.matches(of: /ADD COLUMN (\w+)/).map { String($0.1) }
        }
    }

    /// The columns of `ALTER TABLE … RENAME COLUMN … TO …;`, the old name and the new one.
    private func renames(in table: String, _ schema: String) -> [String: String] {
        let statements = schema.components(separatedBy: "ALTER TABLE \(table) RENAME COLUMN ").dropFirst()
        let pairs = statements.compactMap { $0.prefixMatch(of: /(\w+) TO (\w+);/) }
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0.1), String($0.2)) })
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
