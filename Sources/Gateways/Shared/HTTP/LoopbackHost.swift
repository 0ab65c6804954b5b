import NIOCore

/// Recognizes hosts that always mean this machine.
enum LoopbackHost {
    /// Whether `authority`, a host with or without a port, is `localhost` or a loopback address.
    static func isNamed(by authority: String) -> Bool {
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
