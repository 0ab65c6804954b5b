extension ArrivalEstimator {
    /// Seconds from the fix to the tenth percentile, the median and the ninetieth of the arrival.
    struct Spread {
        var low: Double
        var middle: Double
        var high: Double
    }

    /// The spread is that of the whole way from the fix, so that it does not shrink while nothing new is known.
    func spread(of ahead: Ahead, _ progress: TripProgress, _ plan: TripPlan) -> Spread {
        let learned = interval(of: plan).spread(at: ahead.seconds, learned: progress.spreads)
        let middle = max(ahead.leastSeconds, ahead.seconds + learned.middle)
        let below = (learned.middle - learned.low) * ahead.spreadFactor
        let above = (learned.high - learned.middle) * ahead.spreadFactor
        return Spread(
            low: max(ahead.leastSeconds, middle - below), middle: middle, high: middle + above)
    }

    /// The arrival to tell: the one told before, as far as what is expected by now allows; never in the past.
    func headline(_ told: Timestamp?, _ spread: Spread, middle: Timestamp, at now: Timestamp)
        -> Timestamp
    {
        let band = settings.headline
        let below = spread.middle - spread.low
        let first = middle.advanced(bySeconds: -band.firstShare * below)
        let earliest = middle.advanced(bySeconds: -band.earlyShare * below)
        let latest = middle.advanced(bySeconds: band.lateShare * (spread.high - spread.middle))
        return max(now, max(earliest, min(latest, told ?? first)))
    }

    // MARK: Learning from arrivals

    /// Estimates noted at a time, for each row of the interval table.
    private static let probesPerRow = 3
    /// Stops of a run that commonly lie in the reach of a row: one of so many is noted.
    private static let stopsPerRow: [Int64] = [1, 2, 3, 4, 6, 12, 12, 12]
    private static let shortestProbeSeconds = 20.0

    /// Notes an estimate now and then, to learn from the arrival how far it was off.
    ///
    /// By the clock and not by the stops, because a rider looks at any time: a vehicle that stands is looked at longer.
    func noteProbe(
        _ progress: inout TripProgress, _ stop: Int, _ ahead: Ahead, _ plan: TripPlan, at now: Timestamp
    ) {
        guard ahead.spreadFactor == 1 else { return }
        let interval = interval(of: plan)
        let row = interval.row(nearestTo: ahead.seconds)
        let seconds = max(
            Self.shortestProbeSeconds, interval.rows[row].etaSeconds / Double(Self.probesPerRow))
        let slot = now.milliseconds / Int64(seconds * 1000)
        guard slot != progress.recordedAt.milliseconds / Int64(seconds * 1000) else { return }
        let inReach = plan.kind == .transit ? Self.stopsPerRow[min(row, Self.stopsPerRow.count - 1)] : 1
        guard (slot &+ Int64(stop)) % inReach == 0 else { return }
        let count = progress.probes.count { interval.row(nearestTo: Double($0.etaSeconds)) == row }
        guard count < Self.probesPerRow else { return }
        progress.probes.append(
            ArrivalProbe(
                stop: stop, etaSeconds: Float(ahead.seconds),
                arrivesAt: now.advanced(bySeconds: ahead.seconds - ahead.ageSeconds)))
    }
}
