import Lanes
import Redis

extension RedisCommands {
    /// Adds an event's id in its text form, without allocating.
    mutating func add(_ event: EventID) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 6 * DecimalText.maximumByteCount) { scratch in
            var used = 0
            func mark(_ character: Unicode.Scalar) {
                scratch[used] = UInt8(ascii: character)
                used += 1
            }
            func number(_ value: Int64) {
                used += DecimalText.write(value, into: UnsafeMutableBufferPointer(rebasing: scratch[used...]))
            }
            if event.origin == .trips { mark("t") }
            number(Int64(event.lane))
            mark("-")
            number(event.offset)
            if let fix = event.fix {
                mark(".")
                number(Int64(fix))
            }
            if event.tick > 0 {
                mark("+")
                number(Int64(event.tick))
            }
            if event.message > 0 {
                mark("/")
                number(Int64(event.message))
            }
            add(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: scratch[..<used])))
        }
    }

    /// Adds borrowed bytes.
    @inline(__always)
    mutating func add(_ bytes: ByteSlice) { add(bytes.buffer) }

    /// Adds the id of a stream entry made from the record at `offset`.
    mutating func addStreamID(_ offset: Int64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DecimalText.maximumByteCount) { scratch in
            let used = DecimalText.write(offset, into: scratch)
            add(
                UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: scratch[..<used])), "-1",
                .init(start: nil, count: 0))
        }
    }
}
