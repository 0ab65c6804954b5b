import Foundation
import TestSupport
import Testing

@Suite("Nightly tests")
struct NightlyTestsTests {
    /// Returns the types with a nightly suite or test; each type has the name of its file.
    private func nightlyTypes() throws -> Set<String> {
        let tests = Checkout.root.appendingPathComponent("Tests")
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
        var types: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            if text.contains(/@(Suite|Test)\([^{]*\.nightly\b/) {
                types.insert(file.deletingPathExtension().lastPathComponent)
            }
        }
        return types
    }

    @Test("docs/testing.md lists exactly the suites that have nightly tests")
    func documentedSuites() throws {
        let page = try Checkout.text("docs/testing.md")
        let section = try #require(page.components(separatedBy: "## Nightly tests\n").dropFirst().first)
        let rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("| `") }
        let listed = rows.flatMap { row in
            (row.split(separator: "|").first ?? "").matches(of: /`(\w+Tests)`/).map { String($0.1) }
        }
        #expect(try nightlyTypes() == Set(listed))
        #expect(listed.count == Set(listed).count)
    }

    @Test("CI runs deploy/test, and deploy/test nightly also runs the longer checks")
    func ciCommands() throws {
        let checks = try Checkout.text(".ci/run").split(separator: "\n")
        #expect(checks.contains("./deploy/test"))
        let script = try Checkout.text("deploy/test")
        for command in ["test chaos", "test containers", "test map", "test newcomer", "fuzz", "accuracy"] {
            #expect(script.contains("  continue_with deploy/\(command)"), "\(command)")
        }
    }
}
