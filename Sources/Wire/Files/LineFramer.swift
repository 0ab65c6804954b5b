import Lanes

/// Cuts a stream of bytes, which comes in chunks of any size, into lines.
///
/// ```swift
/// while let chunk = try next() { framer.feed(chunk) { line, number in … } }
/// framer.finish { line, number in … }
/// ```
package struct LineFramer: ~Copyable {
    private var rest = ByteWriter(capacity: 1 << 12)
    /// How many lines were handed out.
    package private(set) var lineCount = 0

    package init() {}

    /// Hands out the lines that end in `chunk`, without their ends (`\n` or `\r\n`) and numbered from 1.
    ///
    /// A line is valid during the call of `body`.
    package mutating func feed(_ chunk: ByteSlice, _ body: (_ line: ByteSlice, _ number: Int) throws -> Void) rethrows {
        var start = 0
        while start < chunk.count {
            guard let length = Self.length(of: chunk, from: start) else { break }
            let piece = Self.slice(chunk, start, length)
            start += length + 1
            if rest.count == 0 {
                try handOut(piece, body)
            } else {
                rest.append(piece)
                defer { rest.removeAll() }
                try handOut(rest.bytes, body)
            }
        }
        rest.append(Self.slice(chunk, start, chunk.count - start))
    }

    /// Hands out the last line, where it has no end of its own.
    package mutating func finish(_ body: (_ line: ByteSlice, _ number: Int) throws -> Void) rethrows {
        guard rest.count > 0 else { return }
        defer { rest.removeAll() }
        try handOut(rest.bytes, body)
    }

    private mutating func handOut(_ line: ByteSlice, _ body: (ByteSlice, Int) throws -> Void) rethrows {
        lineCount += 1
        let hasReturn = line.count > 0 && line[line.count - 1] == UInt8(ascii: "\r")
        try body(hasReturn ? Self.slice(line, 0, line.count - 1) : line, lineCount)
    }

    private static func length(of chunk: ByteSlice, from start: Int) -> Int? {
        slice(chunk, start, chunk.count - start).buffer.firstIndex(of: UInt8(ascii: "\n"))
    }

    private static func slice(_ bytes: ByteSlice, _ start: Int, _ count: Int) -> ByteSlice {
        ByteSlice(start: bytes.start.map { $0 + start }, count: count)
    }
}
