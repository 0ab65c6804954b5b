import Foundation

/// Reads the token of an `Authorization` header.
enum BearerToken {
    /// Returns the token; an empty string if absent.
    static func of(_ header: String?) -> String {
        guard let words = header?.split(separator: " ", maxSplits: 1), words.count == 2,
            words[0].lowercased() == "bearer"
        else { return "" }
        return words[1].trimmingCharacters(in: .whitespaces)
    }
}
