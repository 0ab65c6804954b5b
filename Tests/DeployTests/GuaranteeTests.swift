import Foundation
import TestSupport
import Testing

@Suite("The README's guarantees and the tests that verify them")
struct GuaranteeTests {
    private static let title = "Tests behind the guarantees of the README"

    /// Returns the rows of the table in docs/reliability.md.
    private func rows() throws -> [(guarantee: String, evidence: String)] {
        let page = try Checkout.text("docs/reliability.md").components(separatedBy: "## \(Self.title)\n")
        let table = try #require(page.dropFirst().first).components(separatedBy: "\n## ")[0]
        return table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { line in
            let cells = line.components(separatedBy: " | ")
            return (String(cells[0].dropFirst(2)), cells.dropFirst().joined(separator: " | "))
        }
    }

    /// Returns the sources of all tests by file name without extension.
    private func sources() throws -> [String: String] {
        let tests = Checkout.root.appendingPathComponent("Tests")
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
        var sources: [String: String] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            sources[file.deletingPathExtension().lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        return sources
    }

    @Test("every guarantee lists a test suite, and every listed suite and test exists")
    func listedTestsExist() throws {
        let sources = try sources()
        let rows = try rows()
        #expect(rows.count >= 9)
        for (guarantee, evidence) in rows {
            let types = evidence.matches(of: /\b([A-Z][A-Za-z]*Tests)\b( "([^"]+)")?/)
            #expect(!types.isEmpty, "\(guarantee)")
            for match in types {
                let type = String(match.1)
                let source = sources[type]
                #expect(source?.contains("struct \(type)") == true, "\(guarantee): \(type)")
                if let name = match.3 { #expect(source?.contains("\"\(name)") == true, "\(guarantee): \(name)") }
            }
        }
    }

    @Test("every fault listed as evidence is in the page's table of faults")
    func listedFaultsExist() throws {
        let page = try Checkout.text("docs/reliability.md")
        for (guarantee, evidence) in try rows() {
            for match in evidence.matches(of: /`([a-z]+(?:-[a-z]+)*(?:-\*)?)`/) {
                let name = String(match.1)
                // The names of the audit's checks match the pattern of fault names.
                if try Checkout.text("Sources/sightline/Audit/AuditChecks.swift").contains("\"\(name)\"") {
                    continue
                }
                let start = name.hasSuffix("*") ? "\n| `\(name.dropLast())" : "\n| `\(name)` |"
                #expect(page.contains(start), "\(guarantee): \(name)")
            }
        }
    }
}
