import Glibc

/// Calls `body` with a null-terminated array of C strings; `nil` becomes null.
public func withCStrings<Result>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) throws -> Result
) rethrows -> Result {
    let copies = texts.map { $0.map { strdup($0) } ?? nil } + [nil]
    defer { for copy in copies { free(copy) } }
    return try copies.map { UnsafePointer<CChar>($0) }.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { preconditionFailure("The list lacks its final null.") }
        return try body(start)
    }
}
