@testable import Codec
@testable import Support

/// What `write` writes, as text.
func written(_ write: (inout ByteWriter) -> Void) -> String {
    var writer = ByteWriter()
    write(&writer)
    return writer.bytes.string
}

/// What `write` writes at a cursor with room for `maximum` bytes.
func json(atMost maximum: Int = 4096, _ write: (inout JSONCursor) -> Void) -> String {
    written { $0.appendJSON(atMost: maximum, write) }
}

/// Calls `body` with every record that `damage` makes of `record`: cut off anywhere, and with each byte replaced.
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
