import Support

extension RoadSpeedTable {
    /// Sums the recent and hourly entries of `key`, weighted by age.
    func observed(_ key: UInt64, at time: Timestamp) -> (meters: Double, seconds: Double) {
        var meters = 0.0
        var seconds = 0.0
        let add = { (band: UInt8) in
            guard let entry = find(Key(cell: key, band: band)) else { return }
            let weight = weight(entry, at: time)
            meters += entry.meters * weight
            seconds += entry.seconds * weight
        }
        add(Self.recentBand)
        add(Self.hour(of: time))
        return (meters, seconds)
    }

    /// Returns the ratio of actual to default-speed time (stored as metres), for trips without planned times.
    func unplannedRatio(of key: UInt64, at time: Timestamp) -> Double {
        let observed = observed(key, at: time)
        let prior = settings.unplannedPriorSeconds
        return (observed.seconds + prior) / (observed.meters + prior)
    }

    /// Returns the expected seconds of a leg between two stops; the prior is `expected`, the sum of its cells.
    func expectedLeg(_ key: UInt64, meters: Double, expected: Double, at time: Timestamp) -> Double {
        guard meters > 0 else { return expected }
        let observed = observed(key, at: time)
        let prior = settings.legPriorPasses
        return (observed.seconds + expected * prior) / (observed.meters / meters + prior)
    }

    /// Computes the learned percentiles of each row of the interval table.
    ///
    /// The prior of a row is the distribution of errors in all rows, whose prior is the interval table.
    func spreads(of trips: UInt64, rowCount: Int, at time: Timestamp, into spreads: inout [LearnedSpread]) {
        spreads.removeAll(keepingCapacity: true)
        spreads.reserveCapacity(rowCount)
        let table = SpreadHistogram.table.shares
        // Uses temporary memory (up to 1,024 bytes on the stack), because arrays would allocate for every trip.
        withUnsafeTemporaryAllocation(of: Double.self, capacity: 3 * table.count) { memory in
            let part = { UnsafeMutableBufferPointer(rebasing: memory[$0 * table.count..<($0 + 1) * table.count]) }
            let (arrivals, common, cautious) = (part(0), part(1), part(2))
            count(of: trips, row: rowCount, at: time, into: arrivals)
            let onCommon = SpreadHistogram.Mixture(arrivals, prior: settings.spreadPriorArrivals)
            let onCautious = SpreadHistogram.Mixture(arrivals, prior: settings.middlePriorArrivals)
            for bin in table.indices {
                common[bin] = onCommon.share(table[bin], bin)
                cautious[bin] = onCautious.share(table[bin], bin)
            }
            for row in 0..<rowCount {
                count(of: trips, row: row, at: time, into: arrivals)
                let own = SpreadHistogram.Mixture(arrivals, prior: settings.spreadRowPriorArrivals)
                spreads.append(
                    spread(
                        low: own.quantile(0.1, of: common), middle: own.quantile(0.5, of: cautious),
                        high: own.quantile(0.9, of: common)))
            }
        }
    }

    /// Returns the spread with a median that is moved only earlier, so that riders do not miss the vehicle.
    ///
    /// Late errors mostly come from a few very late arrivals.
    private func spread(low: Double, middle: Double, high: Double) -> LearnedSpread {
        let shifted = min(middle, 0)
        return LearnedSpread(low: Float(low), middle: Float(min(high, max(low, shifted))), high: Float(high))
    }

    /// Counts the observed arrivals in each bin of a row, weighted by age; row `rowCount` stands for all rows.
    private func count(
        of trips: UInt64, row: Int, at time: Timestamp, into counts: UnsafeMutableBufferPointer<Double>
    ) {
        for bin in counts.indices {
            let key = SpreadHistogram.key(trips, row: row, bin: bin)
            counts[bin] = observed(key, at: time).meters / SpreadHistogram.metersPerArrival
        }
    }
}
