import Lanes
import Tracking

/// Writes raw records as lines of NDJSON, each an envelope with what the broker knew; see ``RecordLine``.
package final class RecordLineWriter {
    private let parser = JSONParser()

    package init() {}

    /// Appends one line with its end.
    ///
    /// A value that is not a JSON object is written as text, in which bytes that are not UTF-8 become U+FFFD.
    package func write(_ record: InputRecord, into writer: inout ByteWriter) {
        let object = record.value.flatMap { parser.minify($0) }
        let maximum =
            256 + JSONCursor.maximumTextCount(record.key) + (object?.count ?? 0)
            + (object == nil ? record.value.map { JSONCursor.maximumTextCount($0) } ?? 0 : 0)
        writer.appendJSON(atMost: maximum) { json in
            json.literal("{\"lane\":")
            json.integer(Int64(record.lane))
            json.literal(",\"offset\":")
            json.integer(record.offset)
            json.literal(",\"timestamp\":")
            json.timestamp(record.timestamp)
            json.literal(",\"key\":")
            json.text(record.key)
            json.literal(",\"value\":")
            if let object {
                json.json(object)
            } else if let value = record.value {
                json.text(value)
            } else {
                json.literal("null")
            }
            json.literal("}\n")
        }
    }
}
