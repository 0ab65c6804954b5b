import Simulation

/// Share of errors within the stated accuracy over several recordings of equal weight.
///
/// Errors within a minute are correlated, and recordings differ more than their minutes do. The bounds therefore come
/// from a block bootstrap over recordings and their one-minute blocks (Davison and Hinkley, Bootstrap Methods and their
/// Application, 1997, sections 3.8 and 8.2). The same recordings give the same bounds.
package struct PooledHonesty: Encodable, Sendable, Equatable {
    private static let seed: UInt64 = 1
    private static let draws = 2000

    package var share: Double
    /// Bounds of the 95 % interval.
    package var low: Double
    package var high: Double

    /// Pools recordings, each a list of blocks; `nil` if no block has a stated accuracy.
    init?(_ recordings: [[SmoothingScore.Honesty]]) {
        let recordings = recordings.map { $0.filter { $0.count > 0 } }.filter { !$0.isEmpty }
        guard !recordings.isEmpty else { return nil }
        var random = RandomSource(seed: Self.seed, index: 0, purpose: 8)
        var drawn: [Double] = []
        for _ in 0..<Self.draws {
            drawn.append(
                Self.mean(
                    recordings.indices.map { _ in
                        let blocks = recordings[random.index(below: recordings.count)]
                        return blocks.indices.map { _ in blocks[random.index(below: blocks.count)] }
                    }))
        }
        drawn.sort()
        share = Self.mean(recordings)
        (low, high) = (drawn[Self.draws / 40], drawn[Self.draws - 1 - Self.draws / 40])
    }

    private static func mean(_ recordings: [[SmoothingScore.Honesty]]) -> Double {
        let shares = recordings.map { blocks in
            Double(blocks.reduce(0) { $0 + $1.within }) / Double(blocks.reduce(0) { $0 + $1.count })
        }
        return shares.reduce(0, +) / Double(shares.count)
    }
}
