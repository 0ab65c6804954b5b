import Support

/// Contents of the `sightline-watermark` header: the record's event id and the input positions to resume from.
///
/// Layout, little-endian: version (1 byte), event id (``EventID/byteCount``), number of inputs (1), then one position
/// (8) per input in the order of ``ProcessorLayout/inputs``. A position is the offset of the next record to process; in
/// the event's own input, that is the event's record, because some of its outputs may be missing.
package struct WatermarkHeader: Hashable, Sendable {
    package var event: EventID
    package var positions: [Int64]

    /// See ``StateVersions`` before changing the layout.
    package static let versions = StateVersions(current: 1, previous: 1)
    private static let fixedByteCount = 23

    package static func byteCount(inputs: Int) -> Int { fixedByteCount + inputs * 8 }

    package init(event: EventID, positions: [Int64]) {
        self.event = event
        self.positions = positions
    }

    package static func encode(event: EventID, positions: [Int64], into writer: inout ByteWriter) {
        let byteCount = byteCount(inputs: positions.count)
        writer.append(atMost: byteCount) { buffer in
            buffer.storeBytes(of: versions.current, as: UInt8.self)
            event.store(into: buffer, at: 1)
            buffer.storeBytes(of: UInt8(positions.count), toByteOffset: 22, as: UInt8.self)
            for index in positions.indices {
                let offset = fixedByteCount + index * 8
                buffer.storeBytes(of: positions[index].littleEndian, toByteOffset: offset, as: Int64.self)
            }
            return byteCount
        }
    }

    /// Reads the event id, without allocating; `nil` if the bytes are not a header.
    package static func event(of bytes: ByteSlice) -> EventID? {
        let buffer = bytes.buffer
        guard buffer.count >= fixedByteCount, versions.problem(of: buffer[0]) == nil else { return nil }
        return EventID(buffer, at: 1)
    }

    /// Reads a header; `nil` if the bytes are not a header.
    package init?(_ bytes: ByteSlice) {
        guard let event = Self.event(of: bytes) else { return nil }
        let buffer = bytes.buffer
        let count = Int(buffer[22])
        guard buffer.count == Self.fixedByteCount + count * 8 else { return nil }
        self.event = event
        positions = (0..<count).map {
            Int64(littleEndian: buffer.loadUnaligned(fromByteOffset: Self.fixedByteCount + $0 * 8, as: Int64.self))
        }
    }

    /// Raises each of `positions` to the position in an encoded header, if that is greater, without allocating.
    ///
    /// - Returns: `false`, without a change, if the bytes are not a header for the same number of inputs.
    @discardableResult package static func raise(_ positions: inout [Int64], by bytes: ByteSlice) -> Bool {
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
}
