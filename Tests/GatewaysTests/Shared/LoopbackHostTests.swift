import Testing

@testable import Gateways

@Suite("Loopback hosts")
struct LoopbackHostTests {
    @Test(
        "localhost and loopback addresses are recognised, with or without a port",
        arguments: [
            "localhost", "localhost:8080", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8080", "127.8.9.10", "[::1]",
            "[::1]:8080",
        ])
    func loopback(authority: String) { #expect(LoopbackHost.matches(authority: authority)) }

    @Test(
        "other names and addresses are not recognised",
        arguments: [
            "attacker.example", "attacker.example:8080", "localhost.attacker.example", "127.0.0.1.attacker.example",
            "128.0.0.1", "10.0.0.1:8080", "[::2]", "[2001:db8::1]:80", "", ":8080", "0.0.0.0", "127.1",
        ])
    func otherHosts(authority: String) { #expect(!LoopbackHost.matches(authority: authority)) }
}
