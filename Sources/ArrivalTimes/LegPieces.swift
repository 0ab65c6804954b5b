/// Long legs cut into pieces, each with an expectation of its own: a leg that begins on a motorway and ends in a town
/// is not driven at one pace.
struct LegPieces: Sendable, Equatable {
    /// Shorter legs are one piece, as are all legs of a bus in a town.
    private static let shortestMeters = 500.0
    /// A route has about so many pieces at most, however long it is: each is four bytes of the trip's state.
    private static let most = 32.0

    /// Index of the first piece of each leg, and at the end the number of all; a leg that is not cut has none.
    let starts: [Int]

    var count: Int { starts[starts.count - 1] }

    init(legMeters: [Double]) {
        let whole = legMeters.reduce(0, +)
        let length = max(Self.shortestMeters, whole / Self.most)
        var starts = [0]
        for meters in legMeters {
            let pieces = meters.isFinite && meters >= 2 * length ? Int(meters / length) : 0
            starts.append(starts[starts.count - 1] + pieces)
        }
        self.starts = starts
    }

    /// The pieces of a leg; empty for one that is not cut.
    func pieces(of leg: Int) -> Range<Int> { starts[leg]..<starts[leg + 1] }
}
