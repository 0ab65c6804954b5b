/// Secret value that appears as asterisks when printed, dumped or interpolated.
package struct Secret: Sendable, Hashable {
    package static let mask = "****"

    private let value: String

    package init(_ value: String) { self.value = value }

    package var isEmpty: Bool { value.isEmpty }

    /// Returns the value in plain text.
    package func reveal() -> String { value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { Self.mask }
    package var debugDescription: String { Self.mask }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension Secret {
    /// The scheme, host, port and path of a URL; user, password and query are masked.
    ///
    /// A Postgres URL may have a password in its query. Text that is not a URL is masked completely.
    package var redactedURL: String {
        guard let scheme = value.firstRange(of: "://") else { return Self.mask }
        let start = value[..<scheme.upperBound]
        var rest = value[scheme.upperBound...]
        var login = ""
        // The last @, because a password that is not encoded may contain one, or a slash.
        if let at = rest.lastIndex(of: "@") {
            // With a question mark before the @, password and query cannot be distinguished.
            guard !rest[..<at].contains("?") else { return "\(start)\(Self.mask)" }
            login = "\(Self.mask)@"
            rest = rest[rest.index(after: at)...]
        }
        guard let query = rest.firstIndex(of: "?") else { return "\(start)\(login)\(rest)" }
        return "\(start)\(login)\(rest[..<query])?\(Self.mask)"
    }
}
