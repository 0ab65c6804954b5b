import Glibc

/// Searches unused loopback ports.
package enum FreePort {
    /// Returns a port that is currently free.
    /// - Throws: ``ChildProcessError`` if there is none.
    package static func find() throws(ChildProcessError) -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("Cannot create a socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
            guard let base = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
            return bind(descriptor, base, length) == 0 ? getsockname(descriptor, base, &length) : -1
        }
        guard result == 0 else { throw failure("Cannot find a free port") }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func failure(_ text: String) -> ChildProcessError {
        ChildProcessError("\(text): \(String(cString: strerror(errno))).")
    }
}
