import Foundation
import Testing

/// Generated section of a documentation page, between two HTML comments with its name.
package struct GeneratedSection {
    package static let advice: Comment = "Run this test with SIGHTLINE_TEST_WRITE_DOCS=1 to regenerate the section."

    private let url: URL
    private let start: String
    private let end: String

    /// - Parameters:
    ///   - file: path of the page relative to the repository root.
    ///   - name: name in the comments `<!-- name:begin -->` and `<!-- name:end -->`.
    package init(file: String, name: String) {
        url = Checkout.root.appending(path: file)
        start = "<!-- \(name):begin -->\n"
        end = "<!-- \(name):end -->"
    }

    /// Returns the text between the comments.
    package func read() throws -> String {
        let (page, section) = try find()
        return String(page[section])
    }

    /// Replaces the text between the comments if `SIGHTLINE_TEST_WRITE_DOCS` is 1.
    package func writeIfRequested(_ text: String) throws {
        guard ProcessInfo.processInfo.environment["SIGHTLINE_TEST_WRITE_DOCS"] == "1" else { return }
        var (page, section) = try find()
        page.replaceSubrange(section, with: text)
        // An atomic write would replace a symbolic link by a file.
        try page.write(to: url, atomically: false, encoding: .utf8)
    }

    private func find() throws -> (String, Range<String.Index>) {
        let page = try String(contentsOf: url, encoding: .utf8)
        let first = try #require(page.firstRange(of: start), "\(start) is missing.")
        let last = try #require(page[first.upperBound...].firstRange(of: end), "\(end) is missing.")
        return (page, first.upperBound..<last.lowerBound)
    }
}
