import Foundation
import Testing

/// A part of a page of documentation that is made from the code, between two comments that name it.
package struct GeneratedSection {
    package static let advice: Comment = "Run the tests with SIGHTLINE_TEST_WRITE_DOCS=1 to write the page anew."

    private let url: URL
    private let start: String
    private let end: String

    /// - Parameters:
    ///   - file: path of the page in the repository.
    ///   - name: as in `<!-- name:begin -->` and `<!-- name:end -->`.
    package init(file: String, name: String) {
        url = Checkout.root.appending(path: file)
        start = "<!-- \(name):begin -->\n"
        end = "<!-- \(name):end -->"
    }

    /// What stands between the comments.
    package func read() throws -> String {
        let (page, section) = try find()
        return String(page[section])
    }

    /// Replaces what stands between the comments, if the environment asks for it.
    package func writeIfAsked(_ text: String) throws {
        guard ProcessInfo.processInfo.environment["SIGHTLINE_TEST_WRITE_DOCS"] == "1" else { return }
        var (page, section) = try find()
        page.replaceSubrange(section, with: text)
        // Not atomically: that would put a file in the place of a link.
        try page.write(to: url, atomically: false, encoding: .utf8)
    }

    private func find() throws -> (String, Range<String.Index>) {
        let page = try String(contentsOf: url, encoding: .utf8)
        let first = try #require(page.firstRange(of: start), "\(start) is missing.")
        let last = try #require(page[first.upperBound...].firstRange(of: end), "\(end) is missing.")
        return (page, first.upperBound..<last.lowerBound)
    }
}
