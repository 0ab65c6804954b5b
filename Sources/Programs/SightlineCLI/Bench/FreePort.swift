import Glibc
import Recordings

/// Unused loopback ports.
enum FreePort {
    /// One that was free a moment ago.
    static func take() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw InputError("No socket can be had: \(String(cString: strerror(errno))).") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
            guard let base = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
            return bind(descriptor, base, length) == 0 ? getsockname(descriptor, base, &length) : -1
        }
        guard result == 0 else { throw InputError("No port is free: \(String(cString: strerror(errno))).") }
        return UInt16(bigEndian: address.sin_port)
    }
}
