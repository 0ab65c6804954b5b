import Foundation
import TestSupport
import Testing

/// A text kept under Tests/Stored, with which what is drawn is compared.
struct StoredText {
    private let url: URL

    /// `name`: from the folder Tests/Stored.
    init(_ name: String) { url = Checkout.root.appendingPathComponent("Tests/Stored/\(name)") }

    /// Compares line by line; writes the text anew if the environment asks for it.
    func expect(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let text = lines.map { "\($0)\n" }.joined()
        if ProcessInfo.processInfo.environment["SIGHTLINE_TEST_WRITE_DOCS"] == "1" {
            try text.write(to: url, atomically: false, encoding: .utf8)
        }
        let stored = try String(contentsOf: url, encoding: .utf8)
        let advice = "differs from what is drawn; SIGHTLINE_TEST_WRITE_DOCS=1 writes it anew"
        #expect(text == stored, "\(url.lastPathComponent) \(advice):\n\(text)", sourceLocation: sourceLocation)
    }
}
