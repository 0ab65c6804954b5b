import Support

extension EventID {
    /// Bytes of the binary form: origin (1), partition (4), offset (8) and part (8), little-endian.
    package static let byteCount = 21
    /// In place of the origin where there is no event.
    private static let absent: UInt8 = 0xff

    /// Appends the binary form of an event, or of its absence.
    package static func write(_ event: EventID?, into writer: inout ByteWriter) {
        writer.append(atMost: byteCount) { room in
            room.storeBytes(of: event?.origin.rawValue ?? absent, as: UInt8.self)
            room.storeBytes(of: (event?.partition ?? 0).littleEndian, toByteOffset: 1, as: Int32.self)
            room.storeBytes(of: (event?.offset ?? 0).littleEndian, toByteOffset: 5, as: Int64.self)
            room.storeBytes(of: (event?.part ?? 0).littleEndian, toByteOffset: 13, as: UInt64.self)
            return byteCount
        }
    }

    /// Reads the binary form at `offset`; `nil` when no event was written, or the bytes are none.
    package init?(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        guard bytes.count >= start + Self.byteCount, let origin = Origin(rawValue: bytes[start]) else { return nil }
        self.init(
            origin: origin,
            partition: Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 1, as: Int32.self)),
            offset: Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 5, as: Int64.self)),
            part: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 13, as: UInt64.self)))
        guard isPossible else { return nil }
    }
}
