import Domain
import Support

/// Road speeds observed by one location; part of the state header of its changelog record.
struct SpeedObservation {
    var at = Timestamp(milliseconds: 0)
    var parts: ContiguousArray<RoadSpeedTable.Part> = []

    var isEmpty: Bool { parts.isEmpty }

    mutating func removeAll() { parts.removeAll(keepingCapacity: true) }

    /// Appends the number of parts (2 bytes); if there are parts, also the time (8 bytes) and each part (24 bytes).
    func encode(into writer: inout ByteWriter) {
        writer.append(littleEndian: UInt16(parts.count))
        guard !parts.isEmpty else { return }
        writer.append(littleEndian: at.milliseconds)
        let byteCount = parts.count * Self.partByteCount
        writer.append(atMost: byteCount) { room in
            for (index, part) in parts.enumerated() {
                let start = index * Self.partByteCount
                room.storeBytes(of: part.cell.littleEndian, toByteOffset: start, as: UInt64.self)
                room.storeBytes(of: part.meters.bitPattern.littleEndian, toByteOffset: start + 8, as: UInt64.self)
                room.storeBytes(of: part.seconds.bitPattern.littleEndian, toByteOffset: start + 16, as: UInt64.self)
            }
            return byteCount
        }
    }

    private static let partByteCount = 24

    init() {}

    /// Parses an observation at `offset` and advances `offset`; `nil` if it is malformed.
    init?(_ buffer: UnsafeRawBufferPointer, at offset: inout Int) {
        guard let partCount: UInt16 = Self.integer(buffer, &offset) else { return nil }
        if partCount > 0 {
            guard let milliseconds: Int64 = Self.integer(buffer, &offset) else { return nil }
            at = Timestamp(milliseconds: milliseconds)
            guard at.isReadable else { return nil }
        }
        for _ in 0..<partCount {
            guard let cell: UInt64 = Self.integer(buffer, &offset),
                let meters: UInt64 = Self.integer(buffer, &offset), let seconds: UInt64 = Self.integer(buffer, &offset)
            else { return nil }
            let part = RoadSpeedTable.Part(
                cell: cell, meters: Double(bitPattern: meters), seconds: Double(bitPattern: seconds))
            guard Self.isPossible(meters: part.meters, seconds: part.seconds) else { return nil }
            parts.append(part)
        }
    }

    /// Returns whether the numbers are plausible; a NaN would stay in the table permanently.
    static func isPossible(meters: Double, seconds: Double) -> Bool {
        meters >= 0 && meters.isFinite && seconds >= 0 && seconds.isFinite
    }

    private static func integer<Value: FixedWidthInteger>(
        _ buffer: UnsafeRawBufferPointer, _ offset: inout Int
    ) -> Value? {
        let size = MemoryLayout<Value>.size
        guard buffer.count - offset >= size else { return nil }
        defer { offset += size }
        return Value(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}
