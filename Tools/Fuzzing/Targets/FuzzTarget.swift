import Codec
import Domain
import Foundation
import Support

/// A parser or processor of untrusted bytes, with the properties that must hold for every input.
protocol FuzzTarget: AnyObject, SendableMetatype {
    /// Argument of `deploy/fuzz`, and name of the folder of seeds.
    static var name: String { get }
    init()

    /// Processes one input; ends the program if a property does not hold.
    func run(_ input: ByteSlice)
}

/// All targets, in the order in which deploy/fuzz runs them.
let fuzzTargets: [any FuzzTarget.Type] = [
    RawTarget.self, PolylineTarget.self, TripTarget.self, VerdictTarget.self, EtaTarget.self, UpdateTarget.self,
    WarningTarget.self, HeaderTarget.self, StateTarget.self, PipelineTarget.self, RecordingTarget.self,
    RawLineTarget.self, FeedTarget.self,
]

/// Ends the program with a message if a property does not hold, so that the fuzzer keeps the input.
@inline(__always)
func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fail(message()) }
}

/// Returns `value`; ends the program with `message` if `value` is `nil`.
func require<Value>(_ value: Value?, _ message: @autoclosure () -> String) -> Value {
    guard let value else { fail(message()) }
    return value
}

/// Ends the program; deploy/fuzz searches the log for the words PROPERTY BROKEN.
func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("PROPERTY BROKEN: \(message)\n".utf8))
    preconditionFailure("A property of a fuzz target does not hold.")
}

/// Calls `body` with a space and `value`, so that the general reader parses the value instead of the fast reader.
func withLeadingSpace<Result>(before value: ByteSlice, _ body: (ByteSlice) -> Result) -> Result {
    withBytes(
        of: {
            $0.append(UInt8(ascii: " "))
            $0.append(value)
        }, body)
}

/// Calls `body` with the output of `write`.
func withBytes<Result>(of write: (inout ByteWriter) -> Void, _ body: (ByteSlice) -> Result) -> Result {
    var writer = ByteWriter()
    write(&writer)
    return body(writer.bytes)
}

/// Calls `body` with the output of `write`, which must be UTF-8.
func withWritten<Result>(_ write: (inout ByteWriter) -> Void, _ body: (ByteSlice) -> Result) -> Result {
    withBytes(of: write) { bytes in
        expectText(bytes)
        return body(bytes)
    }
}

/// Expects UTF-8 without U+0000, which is required of all output.
func expectText(_ bytes: ByteSlice) {
    expect(String(validating: bytes.buffer, as: UTF8.self) != nil, "Output is not UTF-8.")
    expect(!bytes.buffer.contains(0), "Output contains U+0000.")
}

/// Expects an identifier, which can be a Kafka key, a Redis key or a part of a channel name.
func expectIdentifier(_ text: String) {
    ByteSlice.withBytes(of: text) { expect(Identifier.isValid($0), "'\(text)' is not an identifier.") }
}

/// Expects `nil`, or 1 to 128 bytes without control characters.
func expectName(_ text: String?) {
    guard let text else { return }
    expect((1...128).contains(text.utf8.count), "A name has \(text.utf8.count) bytes.")
    expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "A name contains control characters.")
}

func expectCoordinate(_ coordinate: Coordinate) {
    expect(
        (-90...90).contains(coordinate.latitude) && (-180...180).contains(coordinate.longitude),
        "\(coordinate) is out of range.")
}

/// Expects `nil` or a number within `range`, which excludes NaN.
func expect(_ value: Double?, in range: ClosedRange<Double>, _ name: String) {
    guard let value else { return }
    expect(range.contains(value), "\(name) is \(value).")
}

/// Expects `nil` or a time in the years 1970 to 9999.
func expect(_ time: Timestamp?, _ name: String) {
    guard let time else { return }
    expect((0...253_402_300_799_999).contains(time.milliseconds), "\(name) is \(time.milliseconds) ms.")
}

/// Whether two numbers differ by at most half of `decimals`, the unit of the last written digit.
func isNear(_ left: Double?, _ right: Double?, decimals: Double) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    // Larger numbers are written without decimals or truncated.
    let unit = decimals == 0 ? 1 : decimals
    guard abs(left) < 8e15 * unit else { return true }
    return abs(left - right) <= unit * 0.5000001 + abs(left) * 1e-15
}
