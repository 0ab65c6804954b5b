import Domain
import Support

extension JSONCursor {
    /// Upper bound of an id's bytes: origin, partition, hyphen, offset, fix, punctuation, message, and scratch space.
    static var maximumEventIDCount: Int { 1 + 11 + 1 + 20 + 6 + 14 + 4 + DecimalText.maximumByteCount }

    /// Writes ``Domain/EventID/description`` without quotes.
    mutating func eventIDText(_ event: EventID) {
        if event.origin == .trips { claim(1).pointee = UInt8(ascii: "t") }
        integer(Int64(event.partition))
        claim(1).pointee = UInt8(ascii: "-")
        integer(event.offset)
        guard event.part != 0 else { return }
        if let fix = event.fix {
            claim(1).pointee = UInt8(ascii: ".")
            integer(fix)
        }
        if event.punctuation > 0 {
            claim(1).pointee = UInt8(ascii: "+")
            integer(Int64(event.punctuation))
        }
        if event.message > 0 {
            claim(1).pointee = UInt8(ascii: "/")
            integer(event.message)
        }
    }

    /// Writes the id as a quoted string.
    mutating func eventID(_ event: EventID) {
        claim(1).pointee = UInt8(ascii: "\"")
        eventIDText(event)
        claim(1).pointee = UInt8(ascii: "\"")
    }
}

extension EventID {
    /// Appends ``description`` without allocating.
    package func write(into writer: inout ByteWriter) {
        writer.appendJSON(atMost: JSONCursor.maximumEventIDCount) { $0.eventIDText(self) }
    }
}

extension Watermark {
    /// Appends ``text`` without allocating.
    package func write(into writer: inout ByteWriter) {
        if let raw { raw.write(into: &writer) } else { writer.append("-") }
        writer.append(" ")
        if let trips { trips.write(into: &writer) } else { writer.append("-") }
    }
}
