import NIOCore

/// Whose message a request brings, and which, so that one that is sent again is recognised while the first is on its way.
struct UploadKey: Hashable {
    /// The driver; empty for the trip service.
    let subject: String
    private let byteCount: Int
    private let hash: Int

    init(subject: String, _ body: ByteBuffer) {
        self.subject = subject
        byteCount = body.readableBytes
        var hasher = Hasher()
        body.withUnsafeReadableBytes { hasher.combine(bytes: $0) }
        hash = hasher.finalize()
    }

    /// A number that is the same for the same message, from 0 to below `count`.
    func number(below count: Int) -> Int { Int(UInt(bitPattern: hash) % UInt(count)) }
}
