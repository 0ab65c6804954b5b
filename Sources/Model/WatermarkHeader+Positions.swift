import Support

extension WatermarkHeader {
    /// Raises each of `positions` to the one that an encoded header holds, where that is further on.
    ///
    /// Restoring reads one header per record, so this allocates nothing.
    /// - Returns: `false`, and no change, when the bytes are not a header for as many inputs.
    @discardableResult
    package static func raise(_ positions: inout [Int64], by bytes: ByteSlice) -> Bool {
        guard event(of: bytes) != nil else { return false }
        let buffer = bytes.buffer
        guard Int(buffer[22]) == positions.count, buffer.count == byteCount(inputs: positions.count) else {
            return false
        }
        for index in positions.indices {
            let stored = buffer.loadUnaligned(fromByteOffset: byteCount(inputs: index), as: Int64.self)
            positions[index] = max(positions[index], Int64(littleEndian: stored))
        }
        return true
    }

    /// The size of an encoded header.
    package static func byteCount(inputs: Int) -> Int { 23 + inputs * 8 }
}
