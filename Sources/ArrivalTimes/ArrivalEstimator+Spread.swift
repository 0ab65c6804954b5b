import Support

extension ArrivalEstimator {
    /// Seconds from the fix to the tenth percentile, the median and the ninetieth of the arrival.
    struct Spread {
        var low: Double
        var middle: Double
        var high: Double

        /// Whether all three are numbers, and no later than some centuries from now.
        var isTellable: Bool { low >= 0 && low <= 1e11 && middle >= 0 && middle <= 1e11 && high >= 0 && high <= 1e11 }
    }

    /// The spread is that of the whole way from the fix, so that it does not shrink while nothing new is known.
    func spread(of ahead: Ahead, _ interval: ArrivalInterval, _ learned: [LearnedSpread]) -> Spread {
        let spread = interval.spread(at: ahead.seconds, learned: learned)
        let middle = max(ahead.leastSeconds, ahead.seconds + spread.middle)
        let below = (spread.middle - spread.low) * ahead.spreadFactor
        let above = (spread.high - spread.middle) * ahead.spreadFactor
        return Spread(low: max(ahead.leastSeconds, middle - below), middle: middle, high: middle + above)
    }

    /// How much wider intervals are because little has been seen of how this ride goes; 1 for runs, whose lines are
    /// known.
    func widening(_ progress: TripProgress, _ plan: TripPlan) -> Double {
        guard plan.kind == .ride else { return 1 }
        let young = settings.youngSeconds
        return 1 + settings.youngSpreadShare * young / (young + progress.pace.actualSeconds)
    }

    /// The arrival to tell: the one told before, as far as what is expected by now allows; never in the past.
    ///
    /// `middleSeconds`: from now to the median; `scheduledAt`: the stop's time by the timetable.
    func headline(
        _ told: Timestamp?, _ spread: Spread, _ headline: PublishedETASettings, middleSeconds: Double,
        scheduledAt: Timestamp? = nil, at now: Timestamp
    ) -> Timestamp {
        let band = headline.band(at: middleSeconds)
        let below = spread.middle - spread.low
        let most = min(headline.earliestSeconds, sideSeconds(middleSeconds, scheduledAt, at: now))
        let earliest = max(0, middleSeconds - min(most, band.earlyShare * below))
        let latest = max(earliest, middleSeconds + band.lateShare * (spread.high - spread.middle))
        guard let told else {
            return now.advanced(bySeconds: max(0, middleSeconds - min(most, band.firstShare * below)))
        }
        let seconds = told.seconds(since: now)
        if seconds >= earliest, seconds <= latest { return told }
        return now.advanced(bySeconds: seconds < earliest ? earliest : latest)
    }

    /// How far the median lies from where a stop begins to be early; infinite without a timetable.
    ///
    /// What is told lies before the median by no more than that: else every run that keeps its timetable would be told
    /// to be early at the stops far ahead, where little is known.
    private func sideSeconds(_ middleSeconds: Double, _ scheduledAt: Timestamp?, at now: Timestamp) -> Double {
        guard let scheduledAt else { return .infinity }
        let side = settings.delay.earlySeconds - settings.delay.hysteresisSeconds
        return abs(middleSeconds - scheduledAt.seconds(since: now) + Double(side))
    }

    // MARK: Learning from arrivals

    /// Estimates noted at a time, for each row of the interval table.
    private static let probesPerRow = 3
    /// Stops of a run that commonly lie in the reach of a row: one of so many is noted.
    private static let stopsPerRow: [Int64] = [1, 2, 3, 4, 6, 12, 12, 12]
    /// Estimates are noted at multiples of this many milliseconds.
    private static let noteMilliseconds: Int64 = 10_000

    /// Whether some row's time to note an estimate may have come since the last record.
    func isTimeToNote(_ progress: TripProgress, at now: Timestamp) -> Bool {
        now.milliseconds / Self.noteMilliseconds != progress.recordedAt.milliseconds / Self.noteMilliseconds
    }

    /// Notes an estimate now and then, to learn from the arrival how far it was off.
    ///
    /// By the clock and not by the stops, because a rider looks at any time: a vehicle that stands is looked at longer.
    func noteProbe(
        _ progress: inout TripProgress, _ stop: Int, _ ahead: Ahead, _ interval: ArrivalInterval, _ plan: TripPlan,
        at now: Timestamp
    ) {
        let row = interval.row(nearestTo: ahead.seconds)
        let notes = Int64(interval.rows[row].etaSeconds * 1000) / Int64(Self.probesPerRow) / Self.noteMilliseconds
        let gap = max(2, notes) * Self.noteMilliseconds
        let slot = now.milliseconds / gap
        guard slot != progress.recordedAt.milliseconds / gap else { return }
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
