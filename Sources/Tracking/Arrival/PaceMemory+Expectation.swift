extension PaceMemory {
    /// What is known of `key`, lately and at this hour together: metres, or what stands for them, and seconds.
    func known(of key: UInt64, at time: Timestamp) -> (meters: Double, seconds: Double) {
        var meters = 0.0
        var seconds = 0.0
        for band in [Self.recently, Self.hour(of: time)] {
            guard let entry = find(Key(cell: key, band: band)) else { continue }
            let kept = kept(entry, at: time)
            meters += entry.meters * kept
            seconds += entry.seconds * kept
        }
        return (meters, seconds)
    }

    /// How many times as long as at the default speed trips take whose time nobody planned.
    func unplannedRatio(of key: UInt64, at time: Timestamp) -> Double {
        let known = known(of: key, at: time)
        let prior = settings.unplannedPriorSeconds
        return (known.seconds + prior) / (known.meters + prior)
    }

    /// Expected seconds of a leg between two stops, where its cells say `expected`.
    func expectedLeg(_ key: UInt64, meters: Double, expected: Double, at time: Timestamp) -> Double {
        guard meters > 0 else { return expected }
        let known = known(of: key, at: time)
        let prior = settings.legPriorPasses
        return (known.seconds + expected * prior) / (known.meters / meters + prior)
    }

    /// How far off each of `rowCount` rows of the interval table is for a class of trips.
    ///
    /// The table is mixed with what was seen at all of its rows, and that with what was seen at the row itself.
    func spreads(of trips: UInt64, rowCount: Int, at time: Timestamp) -> [LearnedSpread] {
        let common = mixed(
            SpreadHistogram.table, with: trips, row: rowCount, prior: settings.spreadPriorArrivals,
            at: time)
        return (0..<rowCount).map { row in
            let own = mixed(
                common, with: trips, row: row, prior: settings.spreadRowPriorArrivals, at: time)
            let middle = own.quantile(0.5)
            return LearnedSpread(
                low: Float(own.quantile(0.1)),
                middle: Float(middle > 0 ? middle * settings.latenessShare : middle),
                high: Float(own.quantile(0.9)))
        }
    }

    private func mixed(
        _ histogram: SpreadHistogram, with trips: UInt64, row: Int, prior: Double, at time: Timestamp
    ) -> SpreadHistogram {
        var shares = histogram.shares.map { $0 * prior }
        var total = prior
        for bin in shares.indices {
            let key = SpreadHistogram.key(trips, row: row, bin: bin)
            let count = known(of: key, at: time).meters / SpreadHistogram.metersPerArrival
            shares[bin] += count
            total += count
        }
        return SpreadHistogram(shares: shares.map { $0 / total })
    }
}
