import Foundation
import TestSupport
import Testing

/// An expected text in Tests/Stored.
struct StoredText {
    private let url: URL

    /// Creates the text of the file `name`, relative to Tests/Stored.
    init(_ name: String) { url = Checkout.root.appendingPathComponent("Tests/Stored/\(name)") }

    /// Compares lines with the stored text; with SIGHTLINE_TEST_WRITE_DOCS=1, first writes the lines.
    func expect(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let text = lines.map { "\($0)\n" }.joined()
        if ProcessInfo.processInfo.environment["SIGHTLINE_TEST_WRITE_DOCS"] == "1" {
            try text.write(to: url, atomically: false, encoding: .utf8)
        }
        let stored = try String(contentsOf: url, encoding: .utf8)
        let advice = "differs; set SIGHTLINE_TEST_WRITE_DOCS=1 to rewrite it"
        #expect(text == stored, "\(url.lastPathComponent) \(advice):\n\(text)", sourceLocation: sourceLocation)
    }
}
