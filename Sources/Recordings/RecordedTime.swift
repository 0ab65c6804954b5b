import Codec
import Support

/// Times as recordings write them: ISO 8601 with a zone, or seconds or milliseconds since 1970, with decimals or without.
enum RecordedTime {
    /// What a small number counts, by the name of its column; a large one says so itself.
    enum Unit { case seconds, milliseconds }

    /// From here on a number is one of milliseconds (March 1973), and below one of seconds (to the year 5138).
    private static let leastMilliseconds = 1e11
    /// From here on it is one of seconds, whatever its column is called (September 2001).
    private static let leastSeconds = 1e9
    /// From here on it is neither, but microseconds or less.
    private static let beyondMilliseconds = 1e14

    /// Reads a time: `unit` is what numbers below 1,000,000,000 count, and `assumesUTC` tells whether a date and time
    /// without a zone are in UTC, as GPX has it.
    /// - Throws: what is wrong with the text.
    static func read(_ text: String, unit: Unit, assumesUTC: Bool = false) throws(RowFault.ProblemError) -> Timestamp {
        if let number = Double(text) {
            guard number >= 0, number < beyondMilliseconds else { throw RowFault.ProblemError(.noTime) }
            let isSeconds = number < leastMilliseconds && (unit == .seconds || number >= leastSeconds)
            let time = Timestamp(milliseconds: Int64((isSeconds ? number * 1000 : number).rounded()))
            guard time.isReadable else { throw RowFault.ProblemError(.noTime) }
            return time
        }
        let text = normalized(text)
        if let time = iso(text) { return time }
        guard let time = iso(text + "Z") else { throw RowFault.ProblemError(.noTime) }
        guard assumesUTC else { throw RowFault.ProblemError(.noZone) }
        return time
    }

    private static func iso(_ text: String) -> Timestamp? { ByteSlice.withBytes(of: text) { ISO8601.time($0) } }

    /// Databases write a space in place of the T, and offsets of whole hours without minutes.
    private static func normalized(_ text: String) -> String {
        var bytes = Array(text.utf8)
        if bytes.count > 10, bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
        let sign = bytes.count - 3
        if sign > 10, bytes[sign] == UInt8(ascii: "+") || bytes[sign] == UInt8(ascii: "-") {
            bytes += ":00".utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RowFault {
    /// What is wrong with a cell, before it is known where the cell stands.
    struct ProblemError: Error {
        let problem: Problem

        init(_ problem: Problem) { self.problem = problem }
    }
}
