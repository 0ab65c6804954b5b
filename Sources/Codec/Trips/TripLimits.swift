/// Size limits of trip records.
package struct TripLimits: Sendable {
    /// Bytes of a record; over twice ``polylineBytes``, because escaped backslashes can double a polyline.
    package var recordBytes = 256 * 1024
    package var stops = 200
    package var polylineBytes = 64 * 1024
    /// Bytes of the context object, without white space.
    package var contextBytes = 8 * 1024
    /// Bytes of the facts, without white space.
    package var factsBytes = 4 * 1024

    package init() {}

    /// Returns one sentence per invalid limit.
    package func problems() -> [String] {
        var problems: [String] = []
        let parts = [polylineBytes, contextBytes, factsBytes]
        if recordBytes < 1 { problems.append("recordBytes must be at least 1.") }
        if stops < 0 || parts.contains(where: { $0 < 0 }) {
            problems.append("stops, polylineBytes, contextBytes and factsBytes must not be negative.")
        }
        if parts.contains(where: { $0 > recordBytes }) {
            problems.append("polylineBytes, contextBytes and factsBytes must be at most recordBytes.")
        }
        return problems
    }
}
