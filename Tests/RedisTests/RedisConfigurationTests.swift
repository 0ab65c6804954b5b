import Redis
import Testing

@Suite("Redis configuration")
struct RedisConfigurationTests {
    @Test("host, port, login and database are parsed")
    func complete() throws {
        let configuration = try RedisConfiguration(url: "redis://anna:s%40cret@cache.internal:6380/3")
        #expect(configuration.host == "cache.internal")
        #expect(configuration.port == 6380)
        #expect(configuration.username == "anna")
        #expect(configuration.password == "s@cret")
        #expect(configuration.database == 3)
    }

    @Test("port 6379 and database 0 are the defaults", arguments: ["redis://localhost", "redis://localhost/"])
    func defaults(url: String) throws {
        let configuration = try RedisConfiguration(url: url)
        #expect(configuration.host == "localhost")
        #expect(configuration.port == 6379)
        #expect(configuration.username == nil)
        #expect(configuration.password == nil)
        #expect(configuration.database == 0)
    }

    @Test("a password without user may contain colons and @")
    func passwordAlone() throws {
        let configuration = try RedisConfiguration(url: "redis://:p:q@r@127.0.0.1:7000")
        #expect(configuration.username == nil)
        #expect(configuration.password == "p:q@r")
        #expect(configuration.port == 7000)
    }

    @Test("an IPv6 address is in brackets")
    func ipv6() throws {
        let configuration = try RedisConfiguration(url: "redis://[::1]:6390/1")
        #expect(configuration.host == "::1")
        #expect(configuration.port == 6390)
        #expect(configuration.description == "redis://[::1]:6390/1")
    }

    @Test(
        "an invalid URL is a fatal error without the password",
        arguments: [
            "", "localhost:6379", "http://:hunter2@localhost", "redis://:hunter2@", "redis://:hunter2@host:0",
            "redis://:hunter2@host:65536", "redis://:hunter2@host:port", "redis://:hunter2@host/x",
            "redis://:hunter2@host/-1", "redis://:hunter2%4@host", "redis://hunter2@host", "redis://::1",
            "redis://:hunter2@[::1", "redis://:hunter2@[::1]x", "rediss://:hunter2@", "redisss://:hunter2@host",
        ])
    func invalidURLs(url: String) {
        let error = #expect(throws: RedisError.self) { try RedisConfiguration(url: url) }
        #expect(error?.isRetriable == false)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test("a rediss:// URL uses TLS, and a redis:// URL does not")
    func tls() throws {
        let secured = try RedisConfiguration(url: "rediss://anna:hunter2@host:6380/1")
        #expect(secured.tls == RedisTLSConfiguration())
        #expect(secured.port == 6380)
        #expect(secured.description == "rediss://***@host:6380/1")
        #expect(try RedisConfiguration(url: "redis://host").tls == nil)
    }

    @Test("a printed configuration contains neither user name nor password")
    func redaction() throws {
        let configuration = try RedisConfiguration(url: "redis://anna:hunter2@host")
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("anna"))
        }
    }
}
