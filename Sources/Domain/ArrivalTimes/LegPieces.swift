/// Division of long legs into pieces with separate expected times, because road speed varies along a leg.
struct LegPieces: Sendable, Equatable {
    private static let shortestMeters = 500.0
    /// Maximum number of pieces per route; each adds four bytes to the trip's state.
    private static let maximumPieces = 32.0

    /// Index of each leg's first piece, followed by the total number; undivided legs have no pieces.
    let starts: [Int]

    var count: Int { starts[starts.count - 1] }

    init(legMeters: [Double]) {
        let whole = legMeters.reduce(0, +)
        let length = max(Self.shortestMeters, whole / Self.maximumPieces)
        var starts = [0]
        for meters in legMeters {
            let pieces = meters.isFinite && meters >= 2 * length ? Int(meters / length) : 0
            starts.append(starts[starts.count - 1] + pieces)
        }
        self.starts = starts
    }

    /// Returns the pieces of a leg; empty if the leg is not divided.
    func pieces(of leg: Int) -> Range<Int> { starts[leg]..<starts[leg + 1] }
}
