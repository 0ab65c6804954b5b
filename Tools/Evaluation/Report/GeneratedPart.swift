/// A part of a page of documentation that is made from a report, between two comments that name it:
/// `<!-- name:begin -->` and `<!-- name:end -->`.
package struct GeneratedPart: Sendable, Equatable {
    /// The page's file.
    package let file: String
    package let name: String

    /// What is wrong with a page that should take a part.
    package struct MissingComment: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads `FILE#NAME`; `nil` when either is missing.
    package init?(_ text: String) {
        guard let mark = text.lastIndex(of: "#") else { return nil }
        (file, name) = (String(text[..<mark]), String(text[text.index(after: mark)...]))
        guard !file.isEmpty, !name.isEmpty else { return nil }
    }

    /// The page with the part replaced; everything else stays as it is.
    /// - Throws: ``MissingComment``.
    package func replaced(in page: String, with text: String) throws -> String {
        let (begin, end) = ("<!-- \(name):begin -->\n", "<!-- \(name):end -->")
        guard let first = page.firstRange(of: begin), let last = page[first.upperBound...].firstRange(of: end) else {
            throw MissingComment(
                description: "\(file) has no part of that name: the lines <!-- \(name):begin --> and \(end).")
        }
        return page[..<first.upperBound] + text + page[last.lowerBound...]
    }

    /// How a page links to what lies in `folder`, with a slash at its end: from the page's own folder.
    package func link(to folder: String) -> String {
        let own = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().filter { $0 != "." }
        let parts = folder.split(separator: "/", omittingEmptySubsequences: false).filter { $0 != "." }
        guard parts.starts(with: own) else { return folder + "/" }
        return parts.dropFirst(own.count).map { $0 + "/" }.joined()
    }
}
