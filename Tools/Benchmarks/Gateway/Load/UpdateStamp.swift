import Glibc
import Support

/// What the benchmark adds to the end of an update's payload, so that clients know its place and its age.
struct UpdateStamp: Equatable {
    /// Counts from 1 in each channel; at most ten digits.
    var sequence: Int64
    /// When the update was due to be sent, in µs of the machine's monotonic clock.
    var sentAt: Int64

    private static let sequenceDigits = 10
    private static let timeDigits = 16
    /// `SSSSSSSSSS-TTTTTTTTTTTTTTTT`, between quotation marks.
    private static let textCount = sequenceDigits + 1 + timeDigits
    /// What ends the payload and the update.
    private static let ending: StaticString = "\"}}"

    /// The monotonic clock, in µs; it is the same in all processes of the machine.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// Appends an update with this stamp; `update` ends with the closing braces of its payload and of itself.
    func append(to update: ByteSlice, into writer: inout ByteWriter) {
        writer.append(ByteSlice(UnsafeRawBufferPointer(rebasing: update.buffer.dropLast(2))))
        writer.append(",\"stamp\":\"")
        Self.append(sequence, digits: Self.sequenceDigits, to: &writer)
        writer.append(UInt8(ascii: "-"))
        Self.append(sentAt, digits: Self.timeDigits, to: &writer)
        writer.append(Self.ending)
    }

    /// The stamp of an update; `nil` where it has none.
    static func read(_ update: UnsafeRawBufferPointer) -> UpdateStamp? {
        let text = UnsafeRawBufferPointer(rebasing: update.dropLast(ending.utf8CodeUnitCount).suffix(textCount))
        guard text.count == textCount, text[sequenceDigits] == UInt8(ascii: "-"),
            let sequence = number(text.prefix(sequenceDigits)), let time = number(text.suffix(timeDigits))
        else { return nil }
        return UpdateStamp(sequence: sequence, sentAt: time)
    }

    private static func append(_ number: Int64, digits: Int, to writer: inout ByteWriter) {
        var unit: Int64 = 1
        for _ in 1..<digits { unit *= 10 }
        while unit > 0 {
            writer.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
            unit /= 10
        }
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int64? {
        var value: Int64 = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
