import Glibc
import Synchronization

/// Finds unused loopback ports.
package enum FreePort {
    /// Ports that this process has returned.
    private static let returned = Mutex(Set<UInt16>())

    /// Returns a free port below the range of outgoing connections, which begins at 32768 on Linux.
    ///
    /// A port in that range could become the local port of another process's connection before the caller binds it. No
    /// port is returned twice, because the first caller may not have bound it yet.
    /// - Throws: ``ChildProcessError`` if 1,000 random ports are not free.
    package static func find() throws(ChildProcessError) -> UInt16 {
        for _ in 0..<1000 {
            let port = UInt16.random(in: 20_000..<32_768)
            if try isFree(port), returned.withLock({ $0.insert(port).inserted }) { return port }
        }
        throw failure("Cannot find a free port")
    }

    private static func isFree(_ port: UInt16) throws(ChildProcessError) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("Cannot create a socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafeBytes(of: &address) { bytes in
            guard let base = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(descriptor, base, socklen_t(bytes.count)) == 0
        }
    }

    private static func failure(_ text: String) -> ChildProcessError {
        ChildProcessError("\(text): \(String(cString: strerror(errno))).")
    }
}
