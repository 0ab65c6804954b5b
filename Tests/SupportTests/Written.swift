import Support

/// Returns the bytes written by `write` as text.
func written(_ write: (inout ByteWriter) -> Void) -> String {
    var writer = ByteWriter()
    write(&writer)
    return writer.bytes.string
}
