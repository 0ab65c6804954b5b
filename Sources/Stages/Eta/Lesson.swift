import Lanes
import Tracking

/// What one location has taught the lane; travels in the journal record that answers it.
struct Lesson {
    /// When the stretch was driven.
    var at = Timestamp(milliseconds: 0)
    var parts: ContiguousArray<PaceMemory.Part> = []
    /// Values as they are after it; few, and rarely any.
    var values: [(value: LearnedValue, bytes: [UInt8])] = []

    var isEmpty: Bool { parts.isEmpty && values.isEmpty }

    /// Keeps the memory and forgets the content.
    mutating func removeAll() {
        parts.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
    }

    /// Appends the binary form: the number of parts (2 bytes), and if there are any the time (8) and each part's cell,
    /// metres and seconds (24); then the number of values (1), and of each its number (1), length (2) and bytes.
    func encode(into writer: inout ByteWriter) {
        writer.append(littleEndian: UInt16(parts.count))
        if !parts.isEmpty { writer.append(littleEndian: at.milliseconds) }
        for part in parts {
            writer.append(littleEndian: part.cell)
            writer.append(littleEndian: part.meters.bitPattern)
            writer.append(littleEndian: part.seconds.bitPattern)
        }
        writer.append(UInt8(values.count))
        for (value, bytes) in values {
            writer.append(value.rawValue)
            writer.append(littleEndian: UInt16(bytes.count))
            bytes.withUnsafeBytes { writer.append(ByteSlice($0)) }
        }
    }

    init() {}

    /// Reads the binary form from `offset` on, and moves that behind it; `nil` when the bytes are none.
    init?(_ buffer: UnsafeRawBufferPointer, at offset: inout Int) {
        guard let partCount: UInt16 = Self.integer(buffer, &offset) else { return nil }
        if partCount > 0 {
            guard let milliseconds: Int64 = Self.integer(buffer, &offset) else { return nil }
            at = Timestamp(milliseconds: milliseconds)
        }
        for _ in 0..<partCount {
            guard let cell: UInt64 = Self.integer(buffer, &offset),
                let meters: UInt64 = Self.integer(buffer, &offset), let seconds: UInt64 = Self.integer(buffer, &offset)
            else { return nil }
            parts.append(
                PaceMemory.Part(cell: cell, meters: Double(bitPattern: meters), seconds: Double(bitPattern: seconds)))
        }
        guard let valueCount: UInt8 = Self.integer(buffer, &offset) else { return nil }
        for _ in 0..<valueCount {
            guard let number: UInt8 = Self.integer(buffer, &offset), let value = LearnedValue(rawValue: number),
                let count: UInt16 = Self.integer(buffer, &offset), buffer.count - offset >= Int(count)
            else { return nil }
            values.append((value, Array(buffer[offset..<offset + Int(count)])))
            offset += Int(count)
        }
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
