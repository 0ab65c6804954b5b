import Foundation
import TestSupport
import Testing

@Suite("The README's promises and the tests behind them")
struct PromiseTests {
    private static let title = "Which test proves which promise of the README"

    /// The rows of the table in docs/reliability.md: what is promised, and by what it is proved.
    private func rows() throws -> [(promise: String, proof: String)] {
        let page = try Checkout.text("docs/reliability.md").components(separatedBy: "## \(Self.title)\n")
        let table = try #require(page.dropFirst().first).components(separatedBy: "\n## ")[0]
        return table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { line in
            let cells = line.components(separatedBy: " | ")
            return (String(cells[0].dropFirst(2)), cells.dropFirst().joined(separator: " | "))
        }
    }

    /// The sources of all tests, by the name of the file without its ending.
    private func sources() throws -> [String: String] {
        let tests = Checkout.root.appendingPathComponent("Tests")
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
        var sources: [String: String] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            sources[file.deletingPathExtension().lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        return sources
    }

    @Test("every promise names a test, and every test that is named exists")
    func namedTestsExist() throws {
        let sources = try sources()
        let rows = try rows()
        #expect(rows.count >= 9)
        for (promise, proof) in rows {
            let types = proof.matches(of: /\b([A-Z][A-Za-z]*Tests)\b( "([^"]+)")?/)
            #expect(!types.isEmpty, "\(promise)")
            for match in types {
                let type = String(match.1)
                let source = sources[type]
                #expect(source?.contains("struct \(type)") == true, "\(promise): \(type)")
                if let name = match.3 { #expect(source?.contains("\"\(name)") == true, "\(promise): \(name)") }
            }
        }
    }

    @Test("every fault that is named as a proof is one of the page's table of faults")
    func namedFaultsExist() throws {
        let page = try Checkout.text("docs/reliability.md")
        for (promise, proof) in try rows() {
            for match in proof.matches(of: /`([a-z]+(?:-[a-z]+)*(?:-\*)?)`/) {
                let name = String(match.1)
                // The audit's checks are named in the same way.
                if try Checkout.text("Sources/sightline/Audit/AuditChecks.swift").contains("\"\(name)\"") {
                    continue
                }
                let start = name.hasSuffix("*") ? "\n| `\(name.dropLast())" : "\n| `\(name)` |"
                #expect(page.contains(start), "\(promise): \(name)")
            }
        }
    }
}
