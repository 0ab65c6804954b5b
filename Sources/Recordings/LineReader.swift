import Glibc
import Support

/// Reader of the lines of a file, with a reused buffer.
package final class LineReader {
    private let file: InputFile
    /// Name of the file in errors.
    package let path: String
    private var memory: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    private var isAtEnd = false
    /// Number of the last returned line, counted from 1.
    package private(set) var lineNumber = 0

    /// Maximum length of a line, in bytes: 16 MiB.
    private static let longestLine = 16 << 20

    package init(path: String?) throws {
        file = try InputFile(path: path)
        self.path = path.map { $0 == "-" ? "standard input" : $0 } ?? "standard input"
        memory = .allocate(byteCount: 1 << 18, alignment: 8)
    }

    /// Opens a member of a zip archive; a missing member has no lines.
    package init(member: String, ofZip archive: String) throws {
        file = try InputFile(member: member, ofZip: archive)
        path = "\(member) of \(archive)"
        memory = .allocate(byteCount: 1 << 18, alignment: 8)
    }

    deinit { memory.deallocate() }

    /// Returns the next line without its end (`\n` or `\r\n`); `nil` at the end.
    ///
    /// The line is valid until the next call.
    package func next() throws -> ByteSlice? {
        var searched = start
        while true {
            if let newline = position(ofNewlineFrom: searched) {
                return line(upTo: newline, skipping: newline + 1)
            }
            searched = end
            if isAtEnd { return start < end ? line(upTo: end, skipping: end) : nil }
            let moved = start
            try fill()
            searched -= moved - start
        }
    }

    /// Returns the next byte after white space and byte order marks, without consuming it; `nil` at the end.
    package func peek() throws -> UInt8? {
        var cursor = start
        while true {
            while cursor < end {
                if !Self.isBlank(memory[cursor]) { return memory[cursor] }
                cursor += 1
            }
            if isAtEnd { return nil }
            let moved = start
            try fill()
            cursor -= moved - start
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte) || byte == 0xef || byte == 0xbb || byte == 0xbf
    }

    /// Checks before the first line that the file is not UTF-16.
    /// - Throws: ``InputError`` with the command that converts the file.
    package func requireUTF8() throws {
        guard lineNumber == 0 else { return }
        while end - start < 2, !isAtEnd { try fill() }
        guard end - start >= 2 else { return }
        let (first, second) = (memory[start], memory[start + 1])
        let hasMark = (first, second) == (0xff, 0xfe) || (first, second) == (0xfe, 0xff)
        guard hasMark || (first == 0) != (second == 0) else { return }
        throw InputError(
            "\(path) is encoded as UTF-16 and only UTF-8 is read; convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW")
    }

    /// Returns the next bytes, for formats not divided into lines; empty at the end.
    ///
    /// The bytes are valid until the next call.
    func nextBytes() throws -> UnsafeRawBufferPointer {
        if start == end, !isAtEnd { try fill() }
        let bytes = UnsafeRawBufferPointer(rebasing: memory[start..<end])
        start = end
        return bytes
    }

    private func position(ofNewlineFrom position: Int) -> Int? {
        guard position < end, let base = memory.baseAddress,
            let found = memchr(base + position, Int32(UInt8(ascii: "\n")), end - position)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    private func line(upTo lineEnd: Int, skipping next: Int) -> ByteSlice {
        // Skips a byte order mark.
        if lineNumber == 0, lineEnd - start >= 3, memory[start..<start + 3].elementsEqual([0xef, 0xbb, 0xbf]) {
            start += 3
        }
        var length = lineEnd - start
        if length > 0, memory[start + length - 1] == UInt8(ascii: "\r") { length -= 1 }
        let line = ByteSlice(UnsafeRawBufferPointer(rebasing: memory[start..<start + length]))
        start = next
        lineNumber += 1
        return line
    }

    /// Moves the remaining bytes to the front and reads more.
    private func fill() throws {
        if start > 0, let base = memory.baseAddress {
            memmove(base, base + start, end - start)
            end -= start
            start = 0
        }
        if end == memory.count { try grow() }
        let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[end...]))
        end += count
        isAtEnd = count == 0
    }

    private func grow() throws {
        guard memory.count < Self.longestLine else {
            throw InputError(
                "\(path), line \(lineNumber + 1): the line is longer than \(Self.longestLine >> 20) MiB; is this a text file?"
            )
        }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: memory.count * 2, alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[0..<end]))
        memory.deallocate()
        memory = larger
    }
}
