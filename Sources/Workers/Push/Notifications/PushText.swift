/// The title and body that a phone shows.
package struct PushText: Sendable, Equatable {
    /// Bytes of a title and of a body at most: with the rest of a payload they stay below what the services take.
    static let maximumTitleBytes = 256
    static let maximumBodyBytes = 1024

    package let title: String
    package let body: String

    package init(title: String, body: String) {
        self.title = title
        self.body = body
    }

    /// As many whole characters as fit into `bytes`.
    static func prefix(of text: String, bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var result = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            guard count <= bytes else { break }
            result.append(character)
        }
        return result
    }
}
