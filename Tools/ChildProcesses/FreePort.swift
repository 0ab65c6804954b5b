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
            guard let socket = try reserve(port) else { continue }
            close(socket)
            if returned.withLock({ $0.insert(port).inserted }) { return port }
        }
        throw failure("Cannot find a free port")
    }

    /// Binds a socket to a loopback port without listening; returns `nil` if the port is in use.
    ///
    /// The system does not assign a bound port to outgoing connections. `isShared`: whether another socket may
    /// listen on the port (SO_REUSEADDR).
    package static func reserve(_ port: UInt16, isShared: Bool = false) throws(ChildProcessError) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("Cannot create a socket") }
        var reuse: Int32 = isShared ? 1 : 0
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isBound = withUnsafeBytes(of: &address) { bytes in
            guard let base = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(descriptor, base, socklen_t(bytes.count)) == 0
        }
        if isBound { return descriptor }
        close(descriptor)
        return nil
    }

    private static func failure(_ text: String) -> ChildProcessError {
        ChildProcessError("\(text): \(String(cString: strerror(errno))).")
    }
}
