import CSimdJSON
import Domain
import Support

/// Writer of the canonical encoding of a record; see ``RecordDecoder``.
struct RecordWriter: RecordCoder {
    private var json: JSONCursor
    /// The byte before the next member: the brace of its object, or a comma.
    private var separator = UInt8(ascii: "{")

    static var isReading: Bool { false }

    func missing(_ key: sl_key) -> any Error {
        preconditionFailure("A record was written without the required member \(FieldName(key: key)).")
    }

    @inline(__always) mutating func contains(_ key: sl_key, _ isPresent: Bool) -> Bool { isPresent }

    /// Writes ``separator``, the quoted name and the colon.
    @inline(__always) private mutating func name(_ key: sl_key) {
        let count = sl_member_count(key)
        let start = json.claim(count)
        UnsafeMutableRawPointer(start).copyMemory(from: sl_member_text(key), byteCount: count)
        start.pointee = separator
        separator = UInt8(ascii: ",")
    }

    @inline(__always) mutating func event(_ value: inout EventID) {
        name(SL_KEY_EVENT_ID)
        json.eventID(value)
    }

    @inline(__always) mutating func text(_ key: sl_key, _ value: inout ByteSlice) {
        guard !value.isEmpty else { return }
        name(key)
        json.text(value)
    }

    @inline(__always) mutating func text(_ key: sl_key, _ value: inout String, _: TextFormat) {
        name(key)
        json.text(value)
    }

    @inline(__always) mutating func text(_ key: sl_key, _ value: inout String?, _: TextFormat) {
        guard let value else { return }
        name(key)
        json.text(value)
    }

    @inline(__always) mutating func number(
        _ key: sl_key, _ value: inout Double?, _ places: DecimalPlaces, in range: ClosedRange<Double>
    ) {
        guard let value else { return }
        name(key)
        switch places {
        case .degrees: json.degrees(value)
        case .thousandths: json.thousandths(value)
        case .hundredths: json.hundredths(value)
        case .heading: json.heading(value)
        case .tenths: json.tenths(value)
        }
    }

    @inline(__always) mutating func integer(_ key: sl_key, _ value: inout Int64?, in range: ClosedRange<Int64>) {
        guard let value else { return }
        name(key)
        json.integer(value)
    }

    @inline(__always) mutating func time(_ key: sl_key, _ value: inout Timestamp?) {
        guard let value else { return }
        name(key)
        json.timestamp(value)
    }

    @inline(__always) mutating func bool(_ key: sl_key, _ value: inout Bool) {
        name(key)
        json.bool(value)
    }

    @inline(__always) mutating func code<Code: WireCode>(_ key: sl_key, _ value: inout Code?) {
        guard let value else { return }
        name(key)
        json.code(value.code)
    }

    mutating func codes<Codes: WireCodes>(_ key: sl_key, _ value: inout Codes, isOptional: Bool) {
        guard !isOptional || value.rawValue != 0 else { return }
        name(key)
        json.literal("[")
        if value.rawValue != 0 { codes(value) }
        json.literal("]")
    }

    private mutating func codes<Codes: WireCodes>(_ value: Codes) {
        var isFirst = true
        for (code, one) in Codes.all where value.rawValue & one.rawValue != 0 {
            if !isFirst { json.literal(",") }
            json.code(code)
            isFirst = false
        }
    }

    mutating func json(_ key: sl_key, _ value: inout String?) {
        guard let value else { return }
        name(key)
        json.json(value)
    }

    @inline(__always) mutating func open(_ key: sl_key) {
        name(key)
        separator = UInt8(ascii: "{")
    }

    @inline(__always) mutating func close() {
        if separator == UInt8(ascii: "{") { json.literal("{") }
        json.literal("}")
        separator = UInt8(ascii: ",")
    }

    mutating func stops(_ key: sl_key, _ stops: inout [TripEta.Stop], computedAt: Timestamp?) throws {
        name(key)
        json.literal("[")
        try stops.withUnsafeBufferPointer { stops in
            guard let first = stops.baseAddress else { return }
            for index in stops.indices {
                if index > 0 { json.literal(",") }
                separator = UInt8(ascii: "{")
                // In place, to avoid a copy of the stop.
                try UnsafeMutablePointer(mutating: first + index).pointee.code(computedAt: computedAt, with: &self)
                close()
            }
        }
        json.literal("]")
    }

    mutating func derived(_ key: sl_key, _ write: (inout JSONCursor) -> Void) {
        name(key)
        write(&json)
    }

    mutating func composed(_ key: sl_key, _ value: inout ByteSlice, _ write: (inout JSONCursor) -> Void) {
        name(key)
        json.literal("\"")
        write(&json)
        json.literal("\"")
    }
}

extension RecordWriter {
    /// Appends a record of at most `maximum` bytes without changing it.
    @inline(__always) static func append<Record: WireRecord>(
        _ record: inout Record, event: EventID, atMost maximum: Int, to writer: inout ByteWriter
    ) {
        var event = event
        append(atMost: maximum, to: &writer) { try record.code(event: &event, with: &$0) }
    }

    /// Appends an object of at most `maximum` bytes; `write` writes its members.
    @inline(__always) static func append(
        atMost maximum: Int, to writer: inout ByteWriter, _ write: (inout RecordWriter) throws -> Void
    ) {
        writer.append(atMost: maximum) { room in
            var coder = RecordWriter(json: JSONCursor(room))
            let start = coder.json.next
            do {
                try write(&coder)
            } catch {
                preconditionFailure("A record could not be written: \(error)")
            }
            coder.close()
            return coder.json.next - start
        }
    }

    /// Writes a list of objects; `write` writes the members of each.
    mutating func list<Element>(
        _ key: sl_key, _ elements: [Element], _ write: (Element, inout RecordWriter) throws -> Void
    ) rethrows {
        name(key)
        json.literal("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { json.literal(",") }
            separator = UInt8(ascii: "{")
            try write(element, &self)
            close()
        }
        json.literal("]")
    }
}
