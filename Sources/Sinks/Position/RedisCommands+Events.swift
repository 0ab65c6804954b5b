import Lanes
import Redis

extension RedisCommands {
    /// Adds borrowed bytes.
    @inline(__always)
    mutating func add(_ bytes: ByteSlice) { add(bytes.buffer) }

    /// Adds an event's id in its text form, without allocating.
    mutating func add(_ event: EventID) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: EventText.maximumByteCount) { scratch in
            var text = EventText(scratch)
            text.append(event)
            add(text.bytes)
        }
    }

    /// Adds a clock in its text form, without allocating; see ``StoredClock``.
    mutating func add(_ clock: LaneClock) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * EventText.maximumByteCount) { scratch in
            var text = EventText(scratch)
            text.append(clock.raw)
            text.append(" ")
            text.append(clock.trips)
            add(text.bytes)
        }
    }

    /// Adds the name of the field that holds a lane's clock in the hash of a channel.
    mutating func addClockField(of lane: Int32) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DecimalText.maximumByteCount) { scratch in
            var text = EventText(scratch)
            text.append(Int64(lane))
            add(UnsafeRawBufferPointer(start: nil, count: 0), "clock:", text.bytes)
        }
    }
}

/// Writes events as text into memory of the caller's.
private struct EventText {
    /// Bytes that one event takes at most.
    static let maximumByteCount = 6 * DecimalText.maximumByteCount

    private let memory: UnsafeMutableBufferPointer<UInt8>
    private var used = 0

    init(_ memory: UnsafeMutableBufferPointer<UInt8>) { self.memory = memory }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: memory[..<used]))
    }

    mutating func append(_ character: Unicode.Scalar) {
        memory[used] = UInt8(ascii: character)
        used += 1
    }

    mutating func append(_ number: Int64) {
        used += DecimalText.write(number, into: UnsafeMutableBufferPointer(rebasing: memory[used...]))
    }

    mutating func append(_ event: EventID?) {
        guard let event else { return append("-") }
        if event.origin == .trips { append("t") }
        append(Int64(event.lane))
        append("-")
        append(event.offset)
        if let fix = event.fix {
            append(".")
            append(Int64(fix))
        }
        if event.tick > 0 {
            append("+")
            append(Int64(event.tick))
        }
        if event.message > 0 {
            append("/")
            append(Int64(event.message))
        }
    }
}
