import Foundation
import Postgres
import Testing

@testable import Sinks

@Suite("History tables")
struct HistoryTableTests {
    @Test("the sink writes the tables that the partitions are made for, with columns that the migrations make")
    func columns() throws {
        let schema = Migration.all.map(\.script).joined()
        for table in HistoryTable.allCases {
            let start = try #require(schema.range(of: "CREATE TABLE \(table.rawValue) ("))
            let end = try #require(schema.range(of: ") PARTITION BY", range: start.upperBound..<schema.endIndex))
            let names = schema[start.upperBound..<end.lowerBound].split(separator: "\n")
                .compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(table.columns == names)
        }
    }
}
