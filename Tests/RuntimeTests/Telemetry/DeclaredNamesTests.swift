import Foundation
import TestSupport
import Testing

@testable import Processing
@testable import Runtime

@Suite("Names of metrics and log lines")
struct DeclaredNamesTests {
    /// Returns the text of each source file except the declarations, by path.
    private static func sources() throws -> [String: String] {
        let root = Checkout.root.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var texts: [String: String] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            guard !["MetricCatalogue.swift", "LogKey.swift"].contains(file.lastPathComponent) else { continue }
            texts[file.path] = try String(contentsOf: file, encoding: .utf8)
        }
        return texts
    }

    @Test("every declared metric is recorded under its declared name")
    func metrics() throws {
        let declarations = try Checkout.text("Sources/Processing/Metrics/MetricCatalogue.swift")
            .matches(of: /static let (\w+) = (?:counter|gauge|histogram)\(\s*"(\w+)"/)
        #expect(Set(declarations.map { String($0.2) }) == Set(MetricCatalogue.all.map(\.name)))
        let recorders = ["Workers", "Gateways", "Runtime"]
        let texts = try Self.sources().filter { path, _ in recorders.contains { path.contains("/Sources/\($0)/") } }
        for declaration in declarations {
            let uses = try Regex("\\.\(declaration.1)(?![A-Za-z0-9])")
            #expect(texts.values.contains { $0.contains(uses) }, "\(declaration.1) is declared and never recorded")
            let literal = "\"\(declaration.2)\""
            let files = texts.filter { $0.value.contains(literal) }.keys.sorted()
            #expect(files == [], "\(declaration.2) is used as a literal")
        }
    }

    @Test("every declared log key is used, and no key is a literal")
    func logKeys() throws {
        let texts = try Self.sources()
        for key in LogKey.allCases {
            let uses = try Regex("(LogKey\\.|[\\[ ,]\\.)\(key)(?![A-Za-z0-9])")
            #expect(texts.values.contains { $0.contains(uses) }, "\(key) is declared and never used")
        }
        let literals = texts.filter { $0.value.contains(/metadata: \[\s*"|metadataKey: "/) }.keys.sorted()
        #expect(literals == [], "keys of log lines must be declared in LogKey")
    }
}
