import Domain
import Simulation

/// Fields copied from the honest fixes before an attack, alternately forwards and backwards.
///
/// The altitude continues from the last honest altitude.
struct CopiedFields {
    private let fixes: ArraySlice<Fix>
    private let altitudeShift: Double
    private var index: Int
    private var step = 1

    init(before site: AttackSite, random: inout RandomSource) {
        let end = site.range.lowerBound
        let lead = site.host.trace.fixes[max(site.host.stretchStart[end], end - 300)..<end]
        let start = lead.startIndex + random.index(below: lead.count)
        if let last = lead.last?.altitudeMeters, let first = lead[start].altitudeMeters {
            altitudeShift = last - first
        } else {
            altitudeShift = 0
        }
        fixes = lead
        index = start
    }

    mutating func next() -> Fix {
        var fields = fixes[index]
        fields.altitudeMeters = fields.altitudeMeters.map { $0 + altitudeShift }
        if !fixes.indices.contains(index + step) { step = -step }
        if fixes.indices.contains(index + step) { index += step }
        return fields
    }
}
