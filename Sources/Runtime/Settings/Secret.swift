/// A value that must not be seen: it prints as asterisks wherever it is printed, dumped or interpolated.
package struct Secret: Sendable, Hashable {
    /// What stands in the value's place.
    package static let mask = "****"

    private let value: String

    package init(_ value: String) { self.value = value }

    package var isEmpty: Bool { value.isEmpty }

    /// The value itself, for the one call that needs it.
    package func reveal() -> String { value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { Self.mask }
    package var debugDescription: String { Self.mask }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension Secret {
    /// For a URL: everything an operator may see, which is scheme, host, port and path.
    ///
    /// User and password go, and so does the query, in which Postgres URLs may carry a password. A text that is not a
    /// URL is masked altogether.
    package var redactedURL: String {
        guard let scheme = value.firstRange(of: "://") else { return Self.mask }
        let start = value[..<scheme.upperBound]
        var rest = value[scheme.upperBound...]
        var login = ""
        // The last @ of all: a password that was not encoded may hold one, or a slash.
        if let at = rest.lastIndex(of: "@") {
            // With a question mark before it, it is ambiguous what is password and what is query.
            guard !rest[..<at].contains("?") else { return "\(start)\(Self.mask)" }
            login = "\(Self.mask)@"
            rest = rest[rest.index(after: at)...]
        }
        guard let query = rest.firstIndex(of: "?") else { return "\(start)\(login)\(rest)" }
        return "\(start)\(login)\(rest[..<query])?\(Self.mask)"
    }
}
