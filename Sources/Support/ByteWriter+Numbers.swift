extension ByteWriter {
    /// Appends an integer in decimal.
    @inlinable public mutating func append(decimal value: Int64) {
        append(atMost: DecimalText.maximumByteCount) { DecimalText.write(value, at: $0.bytes) }
    }

    /// Appends a number as ``DecimalText/write(_:places:at:)``.
    public mutating func append(decimal value: Double, places: Int) {
        append(atMost: DecimalText.maximumByteCount) { DecimalText.write(value, places: places, at: $0.bytes) }
    }

    /// Appends 16 hexadecimal digits in lower case.
    public mutating func append(hexadecimal value: UInt64) {
        for shift in stride(from: UInt64(60), through: 0, by: -4) {
            append(hexadecimalDigit: UInt8(value >> shift & 0xF))
        }
    }

    /// Appends the lower-case hexadecimal digit of a number from 0 to 15.
    public mutating func append(hexadecimalDigit digit: UInt8) { append(digit < 10 ? 48 + digit : 87 + digit) }

    /// Appends a time as ``TimeText/write(milliseconds:at:)``.
    public mutating func append(timeMilliseconds milliseconds: Int64) {
        append(atMost: TimeText.byteCount) {
            TimeText.write(milliseconds: milliseconds, at: $0.bytes)
            return TimeText.byteCount
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Address of the first byte; the buffer must not be empty.
    @inlinable
    var bytes: UnsafeMutablePointer<UInt8> { baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self) }
}
