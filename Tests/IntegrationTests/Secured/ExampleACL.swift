import Redis
import TestSupport
import Testing

/// The rules of a user in one of the example files of `deploy/redis`.
struct ExampleACL {
    private let rules: [String]

    /// `file`: in `deploy/redis`.
    init(file: String, user: String) throws {
        let line = try Checkout.text("deploy/redis/\(file)").split(separator: "\n")
            .first { $0.hasPrefix("user \(user) ") }
        // Name, switch and password come first.
        rules = try #require(line).split(separator: " ").dropFirst(4).map(String.init)
    }

    /// Makes a user with these rules, for keys with `prefix`.
    func create(_ name: String, prefix: String, password: String, _ redis: RedisConnection) throws {
        let rules = rules.map { rule in
            // `~keys`, or `%R~keys` for those that are only read.
            guard let tilde = rule.firstIndex(of: "~") else { return rule }
            return "\(rule[...tilde])\(prefix)\(rule[rule.index(after: tilde)...])"
        }
        let words = ["SETUSER", name, "on", ">\(password)"] + rules
        var commands = RedisCommands()
        commands.begin("ACL", arguments: words.count)
        for word in words { commands.add(word) }
        try redis.send(&commands)
        #expect(try redis.receive().text == "OK")
    }
}
