import NIOCore
import Testing

@testable import Gateways

@Suite("Client addresses")
struct ClientAddressTests {
    private static func address(_ header: String?, _ values: [String], _ connection: String = "10.0.0.1") throws
        -> String
    {
        ClientAddress(header: header)
            .of(headers: { _ in values }, connection: try SocketAddress(ipAddress: connection, port: 1))
    }

    @Test("without a configured header, the address of the connection is used")
    func connection() throws {
        #expect(try Self.address(nil, ["192.0.2.1"]) == "10.0.0.1")
        #expect(try Self.address(nil, [], "2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64")
    }

    @Test("the last address of the header is used, which the nearest proxy added")
    func header() throws {
        #expect(try Self.address("X-Forwarded-For", ["198.51.100.1, 192.0.2.1"]) == "192.0.2.1")
        #expect(try Self.address("X-Forwarded-For", ["198.51.100.1", "192.0.2.2"]) == "192.0.2.2")
        #expect(try Self.address("X-Forwarded-For", ["2001:db8::1"]) == "2001:db8:0:0::/64")
    }

    @Test("a header without an address is ignored", arguments: [[], [""], ["unknown"], ["192.0.2.1:80"]])
    func noAddress(values: [String]) throws {
        #expect(try Self.address("X-Forwarded-For", values) == "10.0.0.1")
    }

    @Test("IPv6 addresses are grouped by /64, and IPv4-mapped addresses are treated as IPv4")
    func networks() {
        #expect(ClientAddress.key(of: "2001:db8::1") == ClientAddress.key(of: "2001:db8::ffff:ffff:ffff:ffff"))
        #expect(ClientAddress.key(of: "2001:db8::1") != ClientAddress.key(of: "2001:db8:0:1::1"))
        #expect(ClientAddress.key(of: "::ffff:192.0.2.1") == "192.0.2.1")
        #expect(ClientAddress.key(of: "192.0.2.1") == "192.0.2.1" && ClientAddress.key(of: "x") == nil)
    }
}
