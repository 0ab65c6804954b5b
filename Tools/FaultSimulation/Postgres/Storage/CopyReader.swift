/// Reader of the binary format of `COPY` (PostgreSQL documentation, `COPY`, "Binary Format"), in chunks of any size.
struct CopyReader {
    private static let signature: [UInt8] = [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00]
    private static let headerCount = 19

    private let columnCount: Int
    private var bytes: [UInt8] = []
    private var position = 0
    private var hasHeader = false
    private var hasTrailer = false

    init(columnCount: Int) { self.columnCount = columnCount }

    mutating func append(_ chunk: [UInt8]) {
        bytes.removeSubrange(..<position)
        position = 0
        bytes += chunk
    }

    /// Returns the fields of the next row with their lengths; `nil` until it is complete, and after the last row.
    mutating func next() throws(PostgresFailure) -> [UInt8]? {
        guard try readHeader() else { return nil }
        guard !hasTrailer else {
            if position < bytes.count { throw PostgresFailure("22P04", "received copy data after EOF marker") }
            return nil
        }
        guard let count = integer(at: position, size: 2) else { return nil }
        if count == -1 {
            hasTrailer = true
            position += 2
            return try next()
        }
        guard count == columnCount else {
            throw PostgresFailure("22P04", "row field count is \(count), expected \(columnCount)")
        }
        var end = position + 2
        for _ in 0..<count {
            guard let length = integer(at: end, size: 4) else { return nil }
            guard length >= -1 else { throw PostgresFailure("22P04", "invalid field size") }
            end += 4 + max(0, length)
        }
        guard end <= bytes.count else { return nil }
        defer { position = end }
        return Array(bytes[position + 2..<end])
    }

    /// Checks that the data do not end within a row.
    func finish() throws(PostgresFailure) {
        guard hasHeader else { throw PostgresFailure("22P04", "COPY file signature not recognized") }
        if position < bytes.count { throw PostgresFailure("22P04", "unexpected EOF in COPY data") }
    }

    private mutating func readHeader() throws(PostgresFailure) -> Bool {
        guard !hasHeader else { return true }
        guard bytes.count >= Self.headerCount else { return false }
        guard bytes.starts(with: Self.signature) else {
            throw PostgresFailure("22P04", "COPY file signature not recognized")
        }
        hasHeader = true
        position = Self.headerCount
        return true
    }

    private func integer(at start: Int, size: Int) -> Int? {
        start + size <= bytes.count ? Int(bytes[start..<start + size].signed) : nil
    }
}
