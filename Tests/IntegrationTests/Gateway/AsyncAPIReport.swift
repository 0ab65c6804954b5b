import Foundation
import TestSupport
import Testing

/// Result of `asyncapi_check.py`, which validates messages of a gateway against its AsyncAPI document.
///
/// Messages with an event id are skipped.
struct AsyncAPIReport {
    /// Deviations from the document.
    let problems: [Substring]
    /// Message types of the document that occur in the log.
    let seen: Set<String>
    /// Message types of the document that do not occur in the log.
    let unseen: Set<String>

    /// Validates the messages of a log against a document in docs/schemas.
    init(_ document: String, log: URL) throws {
        let path = Checkout.root.appendingPathComponent("docs/schemas/\(document)").path
        let script = Checkout.root.appendingPathComponent("Tests/Web/asyncapi_check.py").path
        let result = try WebScript.python([script, path, log.path], packages: "schemathesis")
        guard result.code == 0 else { throw Program.Failure(description: "asyncapi_check.py: \(result.output)") }
        let lines = result.output.split(separator: "\n")
        func types(_ word: String) -> Set<String> {
            Set(lines.filter { $0.hasPrefix("\(word) ") }.map { String($0.dropFirst(word.count + 1)) })
        }
        problems = lines.filter { $0.hasPrefix("problem") }
        seen = types("seen")
        unseen = types("unseen")
    }

    func expectNoProblems(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }
}
