import Glibc
import Support

/// What the clients of a load need to know of a message, read without a parser: there are tens of thousands a second.
enum LoadMessage {
    private static let start: StaticString = "{\"type\":\""
    private static let update: StaticString = "{\"type\":\"driver_location\",\"event_id\":\""
    private static let cursor: StaticString = "\"cursor\":"

    static func isUpdate(_ message: UnsafeRawBufferPointer) -> Bool { starts(message, with: update) }

    /// The type of a message; empty where it does not begin with one.
    static func type(_ message: UnsafeRawBufferPointer) -> String {
        guard starts(message, with: start) else { return "" }
        return String(
            decoding: message.dropFirst(start.utf8CodeUnitCount).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }

    /// The partition and the offset in the id of an update; `nil` where the id has more than these.
    static func event(_ update: UnsafeRawBufferPointer) -> (partition: Int64, offset: Int64)? {
        var numbers: (Int64, Int64) = (0, 0)
        var isOffset = false
        for byte in update.dropFirst(Self.update.utf8CodeUnitCount) {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digit = Int64(byte - UInt8(ascii: "0"))
                if isOffset { numbers.1 = numbers.1 * 10 + digit } else { numbers.0 = numbers.0 * 10 + digit }
            case UInt8(ascii: "-") where !isOffset: isOffset = true
            case UInt8(ascii: "\"") where isOffset: return numbers
            default: return nil
            }
        }
        return nil
    }

    /// The member `cursor` of a message as JSON: a list of texts; `nil` where there is none.
    static func cursor(of message: UnsafeRawBufferPointer) -> String? {
        let text = String(decoding: message, as: UTF8.self)
        guard let name = text.firstRange(of: "\(cursor)"), let end = text[name.upperBound...].firstIndex(of: "]") else {
            return nil
        }
        return String(text[name.upperBound...end])
    }

    /// Whether a message has the channel's state in full.
    static func hasSnapshot(_ message: UnsafeRawBufferPointer) -> Bool {
        String(decoding: message, as: UTF8.self).contains(#""snapshot":"#)
    }

    private static func starts(_ message: UnsafeRawBufferPointer, with text: StaticString) -> Bool {
        let expected = ByteSlice(text).buffer
        guard message.count >= expected.count, let start = message.baseAddress, let other = expected.baseAddress else {
            return false
        }
        return memcmp(start, other, expected.count) == 0
    }
}
