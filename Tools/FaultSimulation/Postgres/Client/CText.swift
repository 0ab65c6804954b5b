/// Text with a final NUL, at an address that is valid as long as this object.
///
/// Sendable, because it never changes.
final class CText: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<CChar>
    /// Number of bytes before the NUL.
    let count: Int

    init(_ text: String) {
        let bytes = text.utf8CString
        count = bytes.count - 1
        let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        // `utf8CString` contains at least the NUL.
        guard let pointer = copy.baseAddress else { preconditionFailure("A text has no address.") }
        self.pointer = pointer
    }

    deinit { pointer.deallocate() }
}
