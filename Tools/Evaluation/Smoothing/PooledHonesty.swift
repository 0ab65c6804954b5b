import Simulation

/// Share of errors within the stated accuracy over several recordings of equal weight.
///
/// Errors within a minute are correlated, and recordings differ more than their minutes do. The bounds therefore come
/// from a block bootstrap over recordings and their one-minute blocks (Davison and Hinkley, Bootstrap Methods and their
/// Application, 1997, sections 3.8 and 8.2). The same recordings give the same bounds.
package struct PooledHonesty: Encodable, Sendable, Equatable {
    /// A share with the bounds of its 95 % interval.
    package struct Share: Encodable, Sendable, Equatable {
        package var share: Double
        package var low: Double
        package var high: Double
    }

    private static let seed: UInt64 = 1
    private static let draws = 2000

    package var recordings: Int
    package var within: Share
    package var withinTwice: Share

    /// Pools recordings, each a list of blocks; `nil` if no block has a stated accuracy.
    init?(_ recordings: [[SmoothingScore.Honesty]]) {
        let recordings = recordings.map { $0.filter { $0.count > 0 } }.filter { !$0.isEmpty }
        guard !recordings.isEmpty else { return nil }
        self.recordings = recordings.count
        var random = RandomSource(seed: Self.seed, index: 0, purpose: 8)
        var (within, withinTwice): ([Double], [Double]) = ([], [])
        for _ in 0..<Self.draws {
            let drawn = recordings.indices.map { _ in
                let blocks = recordings[random.index(below: recordings.count)]
                return blocks.indices.map { _ in blocks[random.index(below: blocks.count)] }
            }
            within.append(Self.mean(drawn, \.within))
            withinTwice.append(Self.mean(drawn, \.withinTwice))
        }
        self.within = Self.share(Self.mean(recordings, \.within), within)
        self.withinTwice = Self.share(Self.mean(recordings, \.withinTwice), withinTwice)
    }

    private static func mean(
        _ recordings: [[SmoothingScore.Honesty]], _ part: KeyPath<SmoothingScore.Honesty, Int>
    ) -> Double {
        let shares = recordings.map { blocks in
            Double(blocks.reduce(0) { $0 + $1[keyPath: part] }) / Double(blocks.reduce(0) { $0 + $1.count })
        }
        return shares.reduce(0, +) / Double(shares.count)
    }

    private static func share(_ share: Double, _ drawn: [Double]) -> Share {
        let sorted = drawn.sorted()
        return Share(share: share, low: sorted[sorted.count / 40], high: sorted[sorted.count - 1 - sorted.count / 40])
    }
}
