import Codec
import Domain
import Support

/// Calls `body` with `value` behind a space: the same record to a reader of JSON, but none that was written by us, so
/// that it takes the general way.
func withGeneralForm<Result>(of value: ByteSlice, _ body: (ByteSlice) -> Result) -> Result {
    var writer = ByteWriter(capacity: value.count + 1)
    writer.append(UInt8(ascii: " "))
    writer.append(value)
    return body(writer.bytes)
}

/// Calls `body` with what `write` writes, which must be UTF-8.
func withWritten<Result>(_ write: (inout ByteWriter) -> Void, _ body: (ByteSlice) -> Result) -> Result {
    var writer = ByteWriter()
    write(&writer)
    holdText(writer.bytes)
    return body(writer.bytes)
}

/// Bytes that leave for other systems are UTF-8, without U+0000.
func holdText(_ bytes: ByteSlice) {
    hold(String(validating: bytes.buffer, as: UTF8.self) != nil, "Output is not UTF-8.")
    hold(!bytes.buffer.contains(0), "Output holds U+0000.")
}

/// What may become a Kafka key, a Redis key or a part of a channel name.
func holdIdentifier(_ text: String) {
    ByteSlice.withBytes(of: text) { hold(Identifier.isValid($0), "'\(text)' is no identifier.") }
}

/// Text that people chose: 1 to 128 bytes without control characters.
func holdName(_ text: String?) {
    guard let text else { return }
    hold((1...128).contains(text.utf8.count), "A name of \(text.utf8.count) bytes was read.")
    hold(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "A name with control characters was read.")
}

func holdPlace(_ place: Coordinate) {
    hold(
        (-90...90).contains(place.latitude) && (-180...180).contains(place.longitude), "\(place) is on no globe.")
}

/// A number that is absent or within `range`; NaN is in no range.
func hold(_ value: Double?, in range: ClosedRange<Double>, _ name: String) {
    guard let value else { return }
    hold(range.contains(value), "\(name) is \(value).")
}

/// A time that is absent or within the years that are written: 1970 to 9999.
func hold(_ time: Timestamp?, _ name: String) {
    guard let time else { return }
    hold((0...253_402_300_799_999).contains(time.milliseconds), "\(name) is \(time.milliseconds) ms.")
}

/// Whether two numbers are the same up to half a unit of the last of `decimals`, as written.
func isNear(_ left: Double?, _ right: Double?, decimals: Double) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    // Beyond 9e15 units there are no decimals left to write, and what is larger is cut off.
    let unit = decimals == 0 ? 1 : decimals
    guard abs(left) < 8e15 * unit else { return true }
    return abs(left - right) <= unit * 0.5000001 + abs(left) * 1e-15
}
