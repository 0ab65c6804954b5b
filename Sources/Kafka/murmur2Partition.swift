import Support

/// Returns the partition that Kafka's Java client and librdkafka's `murmur2_random` choose for `key`.
///
/// Murmur2 as in Kafka's `Utils.murmur2` (seed 0x9747b28c), with the top bit cleared, modulo `count`.
package func murmur2Partition(key: ByteSlice, count: Int32) -> Int32 {
    precondition(count > 0, "A topic must have at least one partition.")
    return Int32(bitPattern: murmur2(key) & 0x7FFF_FFFF) % count
}

/// Returns the 32-bit Murmur2 hash that Kafka's default partitioner uses.
func murmur2(_ key: ByteSlice) -> UInt32 {
    let multiplier: UInt32 = 0x5bd1_e995
    let bytes = key.buffer
    var hash = 0x9747_b28c ^ UInt32(truncatingIfNeeded: bytes.count)
    let words = bytes.count / 4
    for word in 0..<words {
        var block = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: word * 4, as: UInt32.self)) &* multiplier
        block ^= block >> 24
        hash = (hash &* multiplier) ^ (block &* multiplier)
    }
    let rest = words * 4
    for index in stride(from: bytes.count - 1, through: rest, by: -1) {
        hash ^= UInt32(bytes[index]) << UInt32((index - rest) * 8)
    }
    if rest < bytes.count { hash = hash &* multiplier }
    hash ^= hash >> 13
    hash = hash &* multiplier
    return hash ^ (hash >> 15)
}
