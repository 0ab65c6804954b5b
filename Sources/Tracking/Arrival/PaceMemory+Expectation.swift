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
        let all = counts(of: trips, row: rowCount, at: time)
        let common = SpreadHistogram.table.mixed(with: all, prior: settings.spreadPriorArrivals)
        let cautious = SpreadHistogram.table.mixed(with: all, prior: settings.middlePriorArrivals)
        return (0..<rowCount).map { row in
            let seen = counts(of: trips, row: row, at: time)
            let own = common.mixed(with: seen, prior: settings.spreadRowPriorArrivals)
            let middle = cautious.mixed(with: seen, prior: settings.spreadRowPriorArrivals).quantile(0.5)
            // Where even those that come early come later, so does the middle.
            let (low, high) = (own.quantile(0.1), own.quantile(0.9))
            return LearnedSpread(
                low: Float(low),
                middle: Float(min(high, max(low, middle > 0 ? middle * settings.latenessShare : middle))),
                high: Float(high))
        }
    }

    /// Arrivals seen in each bin at a row.
    private func counts(of trips: UInt64, row: Int, at time: Timestamp) -> [Double] {
        SpreadHistogram.table.shares.indices.map { bin in
            let key = SpreadHistogram.key(trips, row: row, bin: bin)
            return known(of: key, at: time).meters / SpreadHistogram.metersPerArrival
        }
    }
}
