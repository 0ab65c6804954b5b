import Foundation
import TestSupport
import Testing

@testable import HistoryWorker

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
