import Redis
import TestSupport
import Testing

/// ACL rules of a user in an example file of `deploy/redis`.
struct ExampleACL {
    private let rules: [String]

    init(file: String, user: String) throws {
        let line = try Checkout.text("deploy/redis/\(file)").split(separator: "\n")
            .first { $0.hasPrefix("user \(user) ") }
        // The rules follow "user", name, "on" and the password.
        rules = try #require(line).split(separator: " ").dropFirst(4).map(String.init)
    }

    /// Creates a user with these rules, whose key patterns get `prefix`.
    func create(_ name: String, prefix: String, password: String, _ redis: RedisConnection) throws {
        let rules = rules.map { rule in
            // `~pattern`, or `%R~pattern` for read-only keys.
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
