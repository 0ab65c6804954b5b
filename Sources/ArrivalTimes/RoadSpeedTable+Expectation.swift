import Support

extension RoadSpeedTable {
    /// What is known of `key`, lately and at this hour together: metres, or what stands for them, and seconds.
    func known(of key: UInt64, at time: Timestamp) -> (meters: Double, seconds: Double) {
        var meters = 0.0
        var seconds = 0.0
        let add = { (band: UInt8) in
            guard let entry = find(Key(cell: key, band: band)) else { return }
            let kept = kept(entry, at: time)
            meters += entry.meters * kept
            seconds += entry.seconds * kept
        }
        add(Self.recently)
        add(Self.hour(of: time))
        return (meters, seconds)
    }

    /// How many times as long as at the default speed trips take that have no planned time.
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

    /// Puts into `spreads` how far off each of `rowCount` rows of the interval table is for a class of trips.
    ///
    /// The table is mixed with what was seen at all of its rows, and that with what was seen at the row itself.
    func spreads(of trips: UInt64, rowCount: Int, at time: Timestamp, into spreads: inout [LearnedSpread]) {
        spreads.removeAll(keepingCapacity: true)
        spreads.reserveCapacity(rowCount)
        let table = SpreadHistogram.table.shares
        // Memory of its own, because arrays would be made anew for every trip; up to 1,024 bytes cost nothing.
        withUnsafeTemporaryAllocation(of: Double.self, capacity: 3 * table.count) { memory in
            let part = { UnsafeMutableBufferPointer(rebasing: memory[$0 * table.count..<($0 + 1) * table.count]) }
            let (seen, common, cautious) = (part(0), part(1), part(2))
            count(of: trips, row: rowCount, at: time, into: seen)
            let onCommon = SpreadHistogram.Mixture(seen, prior: settings.spreadPriorArrivals)
            let onCautious = SpreadHistogram.Mixture(seen, prior: settings.middlePriorArrivals)
            for bin in table.indices {
                common[bin] = onCommon.share(table[bin], bin)
                cautious[bin] = onCautious.share(table[bin], bin)
            }
            for row in 0..<rowCount {
                count(of: trips, row: row, at: time, into: seen)
                let own = SpreadHistogram.Mixture(seen, prior: settings.spreadRowPriorArrivals)
                spreads.append(
                    spread(
                        low: own.quantile(0.1, of: common), middle: own.quantile(0.5, of: cautious),
                        high: own.quantile(0.9, of: common)))
            }
        }
    }

    /// An earliness moves the middle by all of it: a rider must not miss the vehicle.
    ///
    /// A lateness does not: it is mostly few very late arrivals, and moving the middle by it costs riders their vehicle
    /// without making the mean error smaller. Where even those that come early come later, so does the middle.
    private func spread(low: Double, middle: Double, high: Double) -> LearnedSpread {
        let shifted = min(middle, 0)
        return LearnedSpread(low: Float(low), middle: Float(min(high, max(low, shifted))), high: Float(high))
    }

    /// Counts the arrivals seen in each bin at a row.
    private func count(
        of trips: UInt64, row: Int, at time: Timestamp, into counts: UnsafeMutableBufferPointer<Double>
    ) {
        for bin in counts.indices {
            let key = SpreadHistogram.key(trips, row: row, bin: bin)
            counts[bin] = known(of: key, at: time).meters / SpreadHistogram.metersPerArrival
        }
    }
}
