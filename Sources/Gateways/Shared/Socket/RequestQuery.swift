/// Parameters of a request's URL, for values that need no percent-encoding.
enum RequestQuery {
    /// The first value of `name` behind the question mark of `uri`.
    static func value(of name: String, in uri: String) -> String? {
        guard let query = uri.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
        let prefix = "\(name)="
        return query.split(separator: "&").first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}
