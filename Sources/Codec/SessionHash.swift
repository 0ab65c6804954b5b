import CSimdJSON
import Support

/// The number that stands for a session id in ``Fix/sessionHash`` and in the state that is compared with it.
package enum SessionHash {
    /// A hash that is the same in every process and on every machine: 0 for no id, never 0 for one.
    package static func of(_ sessionID: ByteSlice) -> UInt64 {
        guard let start = sessionID.start, sessionID.count > 0 else { return 0 }
        return sl_hash(start.assumingMemoryBound(to: UInt8.self), sessionID.count)
    }
}
