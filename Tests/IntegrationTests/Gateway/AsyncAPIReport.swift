import Foundation
import TestSupport

/// How messages that a gateway has sent compare with its AsyncAPI document; `asyncapi_check.py` compares them.
struct AsyncAPIReport {
    /// What the document does not say, line by line.
    let problems: [Substring]
    /// The types of messages that the gateway has sent.
    let seen: Set<String>
    /// Those of the document that it has not.
    let unseen: Set<String>

    /// Compares the messages of a log, one a line.
    ///
    /// `document`: its name in docs/schemas.
    init(_ document: String, log: URL) throws {
        let path = Checkout.root.appendingPathComponent("docs/schemas/\(document)").path
        let script = Checkout.root.appendingPathComponent("Tests/Web/asyncapi_check.py").path
        let answer = try WebScript.python([script, path, log.path], packages: "schemathesis")
        guard answer.code == 0 else { throw KafkaTestFailure("asyncapi_check.py: \(answer.output)") }
        let lines = answer.output.split(separator: "\n")
        func types(_ word: String) -> Set<String> {
            Set(lines.filter { $0.hasPrefix("\(word) ") }.map { String($0.dropFirst(word.count + 1)) })
        }
        problems = lines.filter { $0.hasPrefix("problem") }
        seen = types("seen")
        unseen = types("unseen")
    }
}
