import NIOCore

/// Source of the address by which a client's requests are counted.
struct ClientAddress: Sendable {
    /// Header in which a proxy passes the client's address; `nil` to use the address of the connection.
    let header: String?

    /// Returns the header's last address, which the nearest proxy added, else the connection's, else an empty text.
    func of(headers: (String) -> [String], connection: SocketAddress?) -> String {
        if let header, let last = headers(header).last?.split(separator: ",").last {
            let text = last.filter { $0 != " " }
            if let key = Self.key(of: text) { return key }
        }
        return connection?.ipAddress.flatMap(Self.key) ?? ""
    }

    /// Returns an IPv4 address, or the 64-bit prefix of an IPv6 address, usually of one subscriber; else `nil`.
    static func key(of text: String) -> String? {
        guard let address = try? SocketAddress(ipAddress: String(text.prefix { $0 != "%" }), port: 0) else {
            return nil
        }
        switch address {
        case .v4: return address.ipAddress
        case .v6(let address):
            return withUnsafeBytes(of: address.address.sin6_addr) { bytes in
                // IPv4-mapped address: `::ffff:a.b.c.d`.
                if bytes[0..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
                    return bytes[12..<16].map { String($0) }.joined(separator: ".")
                }
                let groups = stride(from: 0, to: 8, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
                return groups.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
            }
        case .unixDomainSocket: return nil
        }
    }
}

/// Host names and addresses that always refer to this machine.
enum LoopbackHost {
    /// Returns whether `authority`, a host with or without a port, is `localhost` or a loopback address.
    static func matches(authority: String) -> Bool {
        let host = host(of: authority)
        if host.lowercased() == "localhost" { return true }
        switch try? SocketAddress(ipAddress: host, port: 0) {
        case .v4(let address): return UInt32(bigEndian: address.address.sin_addr.s_addr) >> 24 == 127
        case .v6(let address):
            return withUnsafeBytes(of: address.address.sin6_addr) {
                $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1
            }
        case .unixDomainSocket, nil: return false
        }
    }

    private static func host(of authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }
}
