@testable import Codec
@testable import Support

/// Returns the bytes that `write` appends, as text.
func written(_ write: (inout ByteWriter) -> Void) -> String {
    var writer = ByteWriter()
    write(&writer)
    return writer.bytes.string
}

/// Returns the JSON that `write` appends to a space of `maximum` bytes.
func json(atMost maximum: Int = 4096, _ write: (inout JSONCursor) -> Void) -> String {
    written { $0.appendJSON(atMost: maximum, write) }
}

/// Calls `body` with `record` truncated to every length, and with each of its bytes replaced.
func forEachDamage(of record: String, _ body: (ByteSlice) -> Void) {
    let bytes = Array(record.utf8)
    for count in 0..<bytes.count { bytes[..<count].withUnsafeBytes { body(ByteSlice($0)) } }
    for index in bytes.indices {
        for replacement in Array("{}[]:,\"\\9-x".utf8) where bytes[index] != replacement {
            var damaged = bytes
            damaged[index] = replacement
            damaged.withUnsafeBytes { body(ByteSlice($0)) }
        }
    }
}
