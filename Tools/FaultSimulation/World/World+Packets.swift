extension World {
    /// Divides bytes that are sent into parts that arrive one after the other; a connection can break between them.
    func packets(of bytes: [UInt8]) -> [[UInt8]] {
        var rest = bytes[...]
        var packets: [[UInt8]] = []
        while !rest.isEmpty {
            // Redis reads up to 16 KiB of a client at a time.
            var size = min(rest.count, 1 << 14)
            if random.chance(0.25) { size = 1 + random.index(below: size) }
            packets.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return packets
    }
}
