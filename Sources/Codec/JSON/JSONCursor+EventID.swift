import Model
import Support

extension JSONCursor {
    /// The room for an id: origin, partition, offset, fix, punctuation and message, and what is written beyond for a
    /// moment.
    static var maximumEventIDCount: Int { 1 + 11 + 1 + 20 + 6 + 14 + 4 + DecimalText.maximumByteCount }

    /// The id's text without quotes, as ``EventID/description``.
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

    /// The id as a quoted string.
    mutating func eventID(_ event: EventID) {
        claim(1).pointee = UInt8(ascii: "\"")
        eventIDText(event)
        claim(1).pointee = UInt8(ascii: "\"")
    }
}

extension EventID {
    /// Appends the text form, as ``description`` gives it, without allocating.
    package func write(into writer: inout ByteWriter) {
        writer.appendJSON(atMost: JSONCursor.maximumEventIDCount) { $0.eventIDText(self) }
    }
}

extension Watermark {
    /// Appends the text form, as ``text`` gives it, without allocating.
    package func write(into writer: inout ByteWriter) {
        if let raw { raw.write(into: &writer) } else { writer.append("-") }
        writer.append(" ")
        if let trips { trips.write(into: &writer) } else { writer.append("-") }
    }
}
