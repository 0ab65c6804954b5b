import Redis
import Testing

@Suite("Redis errors")
struct RedisErrorTests {
    @Test(
        "errors of a temporarily unavailable server are retriable",
        arguments: [
            "LOADING Redis is loading the dataset in memory", "READONLY You can't write against a read only replica.",
            "MASTERDOWN Link with MASTER is down", "OOM command not allowed when used memory > 'maxmemory'.",
            "BUSY Redis is busy running a script.", "CLUSTERDOWN The cluster is down", "TRYAGAIN Multiple keys request",
            "NOREPLICAS Not enough good replicas to write.", "MISCONF Redis is configured to save RDB snapshots",
            "ERR max number of clients reached",
        ])
    func retriable(reply: String) {
        let error = RedisError(reply: reply)
        #expect(error.isRetriable)
        #expect(error.code == .unavailable)
    }

    @Test(
        "permanent errors are fatal and have a code",
        arguments: [
            ("WRONGPASS invalid username-password pair or user is disabled.", RedisError.Code.authentication),
            ("NOAUTH Authentication required.", .authentication), ("ERR invalid password", .authentication),
            ("ERR AUTH <password> called without any password configured", .authentication),
            ("NOPERM this user has no permissions to run the 'set' command", .authentication),
            ("WRONGTYPE Operation against a key holding the wrong kind of value", .wrongType),
            ("MOVED 3999 127.0.0.1:6381", .refused), ("ERR DB index is out of range", .configuration),
            ("ERR unknown command 'XADD'", .refused),
        ])
    func fatal(reply: String, code: RedisError.Code) {
        let error = RedisError(reply: reply)
        #expect(!error.isRetriable)
        #expect(error.code == code)
    }

    @Test(
        "an error reply to a command does not end the connection",
        arguments: [
            "NOPERM this user has no permissions to run the 'smembers' command",
            "OOM command not allowed when used memory > 'maxmemory'.",
            "WRONGTYPE Operation against a key holding the wrong kind of value", "ERR unknown command 'XADD'",
            "LOADING Redis is loading the dataset in memory", "EXECABORT Transaction discarded because of errors.",
        ])
    func keepsConnection(reply: String) { #expect(!RedisError(reply: reply).endsConnection) }

    @Test("connection errors, a read-only replica and a missing login end the connection; other errors do not")
    func endsConnection() {
        for reply in ["READONLY You can't write against a read only replica.", "NOAUTH Authentication required."] {
            #expect(RedisError(reply: reply).endsConnection, "\(reply)")
        }
        for code in [RedisError.Code.connectionLost, .connect, .tls] {
            #expect(RedisError(code, "").endsConnection)
        }
        #expect(!RedisError(.unavailable, "").endsConnection && !RedisError(.refused, "").endsConnection)
    }
}
