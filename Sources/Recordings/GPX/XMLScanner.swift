/// Scanner of the tags and texts of an XML file, in constant memory.
///
/// Supports elements, attributes, text, CDATA and character references; comments, processing instructions and document
/// types are skipped. Namespaces are not resolved, so names include their prefix. Foundation's parser would make all
/// workers load libxml2 at each start, because `sightline` and the workers are one executable.
struct XMLScanner {
    enum Token: Equatable {
        /// A start tag; an empty element is followed by its end.
        case start(name: String, attributes: [String: String])
        case end(name: String)
        /// Text between tags, truncated to ``XMLScanner/maximumBytes``.
        case text(String)
    }

    /// A syntax error.
    struct Fault: Error {
        let line: Int
        let sentence: String
    }

    /// Maximum bytes of a tag or text.
    static let maximumBytes = 1 << 16
    private static let maximumDepth = 256

    private let file: LineReader
    private var chunk = UnsafeRawBufferPointer(start: nil, count: 0)
    private var cursor = 0
    /// Line of the next byte, counted from 1.
    private(set) var line = 1
    /// Names of the open elements, the outermost first.
    private(set) var open: [String] = []
    private var pendingEnd: String?

    init(_ file: LineReader) { self.file = file }

    /// Returns the next token; `nil` at the end.
    /// - Throws: ``Fault`` if the XML is not well-formed, ``InputError`` if the file cannot be read.
    mutating func next() throws -> Token? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name: name)
        }
        while let byte = try peek() {
            if byte != UInt8(ascii: "<") { return .text(Self.unescaped(try bytes(until: UInt8(ascii: "<")))) }
            cursor += 1
            guard let kind = try peek() else { break }
            switch kind {
            case UInt8(ascii: "?"): try skip(past: "?>")
            case UInt8(ascii: "!"):
                cursor += 1
                if let text = try markup() { return .text(text) }
            case UInt8(ascii: "/"):
                cursor += 1
                return try endTag()
            default: return try startTag()
            }
        }
        guard open.isEmpty else { throw fault("the file ends inside the element \(open[open.count - 1])") }
        return nil
    }

    // MARK: Bytes

    /// Returns the next byte without consuming it.
    private mutating func peek() throws -> UInt8? {
        if cursor == chunk.count {
            chunk = try file.nextBytes()
            cursor = 0
            if chunk.isEmpty { return nil }
        }
        return chunk[cursor]
    }

    private mutating func nextByte() throws -> UInt8 {
        guard let byte = try peek() else { throw fault("the file ends inside a tag") }
        cursor += 1
        if byte == UInt8(ascii: "\n") { line += 1 }
        return byte
    }

    /// Consumes the bytes up to the next `end` or the end of the file; returns up to ``maximumBytes`` of them.
    private mutating func bytes(until end: UInt8) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let byte = try peek(), byte != end {
            let byte = try nextByte()
            if bytes.count < Self.maximumBytes { bytes.append(byte) }
        }
        return bytes
    }

    /// Skips everything up to and including `end`; returns the bytes before it if `keeps`.
    @discardableResult
    private mutating func skip(past end: StaticString, keeps: Bool = false) throws -> [UInt8] {
        var kept: [UInt8] = []
        var last: [UInt8] = []
        let terminator = Array("\(end)".utf8)
        while last != terminator {
            let byte = try nextByte()
            last.append(byte)
            guard last.count > terminator.count else { continue }
            let first = last.removeFirst()
            if keeps, kept.count < Self.maximumBytes { kept.append(first) }
        }
        return kept
    }

    // MARK: Markup

    /// Reads markup after `<!`: returns the text of a CDATA section; `nil` for a comment or document type.
    private mutating func markup() throws -> String? {
        switch try nextByte() {
        case UInt8(ascii: "-"): try skip(past: "-->")
        case UInt8(ascii: "["):
            for expected in "CDATA[".utf8 {
                guard try nextByte() == expected else { throw fault("<![ is not followed by CDATA[") }
            }
            return String(decoding: try skip(past: "]]>", keeps: true), as: UTF8.self)
        default:
            var depth = 0
            while true {
                let byte = try nextByte()
                if byte == UInt8(ascii: "[") { depth += 1 }
                if byte == UInt8(ascii: "]") { depth -= 1 }
                if byte == UInt8(ascii: ">"), depth <= 0 { return nil }
            }
        }
        return nil
    }

    private mutating func endTag() throws -> Token {
        let name = Self.name(try bytes(until: UInt8(ascii: ">")).split { Self.isSpace($0) }.first.map(Array.init) ?? [])
        _ = try nextByte()
        guard open.popLast() == name else { throw fault("</\(name)> ends an element that is not open") }
        return .end(name: name)
    }

    private mutating func startTag() throws -> Token {
        var bytes: [UInt8] = []
        var quote: UInt8?
        while true {
            let byte = try nextByte()
            if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if quote == nil, byte == UInt8(ascii: ">") {
                break
            } else if quote == nil, byte == UInt8(ascii: "<") {
                throw fault("a tag begins inside another")
            }
            guard bytes.count < Self.maximumBytes else {
                throw fault("a tag is longer than \(Self.maximumBytes) bytes")
            }
            bytes.append(byte)
        }
        let isEmpty = bytes.last == UInt8(ascii: "/")
        if isEmpty { bytes.removeLast() }
        let nameEnd = bytes.firstIndex(where: Self.isSpace) ?? bytes.count
        let name = Self.name(Array(bytes[..<nameEnd]))
        guard !name.isEmpty else { throw fault("a tag has no name") }
        if isEmpty {
            pendingEnd = name
        } else {
            guard open.count < Self.maximumDepth else { throw fault("elements are nested too deeply") }
            open.append(name)
        }
        return .start(name: name, attributes: try attributes(bytes[nameEnd...]))
    }

    private func attributes(_ bytes: ArraySlice<UInt8>) throws -> [String: String] {
        var attributes: [String: String] = [:]
        var rest = bytes.drop(while: Self.isSpace)
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { throw fault("an attribute has no value") }
            let name = Self.name(Array(rest[..<equals].filter { !Self.isSpace($0) }))
            rest = rest[(equals + 1)...].drop(while: Self.isSpace)
            guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
                let end = rest.dropFirst().firstIndex(of: quote)
            else { throw fault("the attribute \(name) has no value in quotes") }
            attributes[name] = Self.unescaped(Array(rest[(rest.startIndex + 1)..<end]))
            rest = rest[(end + 1)...].drop(while: Self.isSpace)
        }
        return attributes
    }

    private func fault(_ sentence: String) -> Fault { Fault(line: line, sentence: sentence) }

    // MARK: Text

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    private static func name(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static let longestReference = 12

    /// Replaces character references; keeps unknown references.
    private static func unescaped(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            // Searches only a short prefix, because many ampersands would otherwise cost quadratic time.
            guard let end = rest.prefix(longestReference).firstIndex(of: ";"),
                let character = character(rest[..<end].dropFirst())
            else {
                result.append("&")
                rest = rest.dropFirst()
                continue
            }
            result.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ reference: Substring) -> Character? {
        switch reference {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard reference.first == "#" else { return nil }
        let digits = reference.dropFirst()
        let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
