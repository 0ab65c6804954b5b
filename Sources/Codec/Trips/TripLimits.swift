/// How much of one trip record is read.
package struct TripLimits: Sendable {
    /// Bytes of a record.
    ///
    /// Larger than other records: a long polyline takes its share twice when it is full of backslashes.
    package var recordBytes = 256 * 1024
    package var stops = 200
    /// Bytes of the encoded polyline.
    package var polylineBytes = 64 * 1024
    /// Bytes of the context object, without white space.
    package var contextBytes = 8 * 1024
    /// Bytes of the facts, without white space.
    package var factsBytes = 4 * 1024

    package init() {}

    /// What is wrong with the limits, empty when nothing is.
    package func problems() -> [String] {
        var problems: [String] = []
        let parts = [polylineBytes, contextBytes, factsBytes]
        if recordBytes < 1 { problems.append("A trip record may be at least one byte long.") }
        if stops < 0 || parts.contains(where: { $0 < 0 }) { problems.append("A limit is not negative.") }
        if parts.contains(where: { $0 > recordBytes }) {
            problems.append("A part of a trip record may not be larger than the record.")
        }
        return problems
    }
}
