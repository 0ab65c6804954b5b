import Codec
import Support

/// Parser of times in recordings: ISO 8601 with a zone, or seconds or milliseconds since 1970.
enum RecordedTime {
    /// Unit of numbers below 1,000,000,000, from the column's name; the unit of larger numbers follows from their size.
    enum Unit { case seconds, milliseconds }

    /// Smallest number that is always milliseconds (March 1973); as seconds it would be in the year 5138.
    private static let leastMilliseconds = 1e11
    /// Smallest number that is seconds for every column name (September 2001).
    private static let leastSeconds = 1e9
    /// Smallest number that is invalid, because its unit is microseconds or smaller.
    private static let beyondMilliseconds = 1e14

    /// Reads a time; `assumesUTC` accepts times without a zone as UTC, as in GPX.
    /// - Throws: `noTime` or `noZone`.
    static func read(_ text: String, unit: Unit, assumesUTC: Bool = false) throws(RowFault.Problem) -> Timestamp {
        if let number = Double(text) {
            guard number >= 0, number < beyondMilliseconds else { throw .noTime }
            let isSeconds = number < leastMilliseconds && (unit == .seconds || number >= leastSeconds)
            let time = Timestamp(milliseconds: Int64((isSeconds ? number * 1000 : number).rounded()))
            guard time.isReadable else { throw .noTime }
            return time
        }
        let text = normalized(text)
        if let time = iso(text) { return time }
        guard let time = iso(text + "Z") else { throw .noTime }
        guard assumesUTC else { throw .noZone }
        return time
    }

    private static func iso(_ text: String) -> Timestamp? { ByteSlice.withBytes(of: text) { ISO8601.time($0) } }

    /// Converts time formats of databases to ISO 8601: a space instead of the `T`, and offsets without minutes.
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
