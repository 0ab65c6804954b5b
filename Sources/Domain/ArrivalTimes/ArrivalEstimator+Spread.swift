import Support

extension ArrivalEstimator {
    /// 10th, 50th and 90th percentile of the arrival, in seconds from the fix.
    struct Spread {
        var low: Double
        var middle: Double
        var high: Double

        /// Whether all three percentiles are within 0 to 1e11 s.
        var isRepresentable: Bool {
            low >= 0 && low <= 1e11 && middle >= 0 && middle <= 1e11 && high >= 0 && high <= 1e11
        }
    }

    /// Returns the percentiles, counted from the fix, so that the interval does not shrink without new data.
    func spread(of ahead: StopPrediction, _ interval: ArrivalInterval, _ learned: [LearnedSpread]) -> Spread {
        let spread = interval.spread(at: ahead.seconds, learned: learned)
        let middle = max(ahead.leastSeconds, ahead.seconds + spread.middle)
        let below = (spread.middle - spread.low) * ahead.spreadFactor
        let above = (spread.high - spread.middle) * ahead.spreadFactor
        return Spread(low: max(ahead.leastSeconds, middle - below), middle: middle, high: middle + above)
    }

    /// Returns the factor that widens the intervals of a ride, largest at its start; 1 for scheduled runs.
    func widening(_ progress: TripProgress, _ plan: TripPlan) -> Double {
        guard plan.kind == .ride else { return 1 }
        let young = settings.youngSeconds
        return 1 + settings.youngSpreadShare * young / (young + progress.recentSpeed.actualSeconds)
    }

    /// Returns the arrival to publish: the previous arrival, clamped to the band around the current estimate.
    ///
    /// The arrival is never in the past. `middleSeconds`: seconds to the median; `scheduledAt`: scheduled arrival.
    func publishedArrival(
        _ previous: Timestamp?, _ spread: Spread, _ settings: PublishedETASettings, middleSeconds: Double,
        scheduledAt: Timestamp? = nil, at now: Timestamp
    ) -> Timestamp {
        let band = settings.band(at: middleSeconds)
        let below = spread.middle - spread.low
        let mostEarly = min(settings.earliestSeconds, sideSeconds(middleSeconds, scheduledAt, at: now))
        let earliest = max(0, middleSeconds - min(mostEarly, band.earlyShare * below))
        let latest = max(earliest, middleSeconds + band.lateShare * (spread.high - spread.middle))
        guard let previous else {
            return now.advanced(bySeconds: max(0, middleSeconds - min(mostEarly, band.firstShare * below)))
        }
        let seconds = previous.seconds(since: now)
        if seconds >= earliest, seconds <= latest { return previous }
        return now.advanced(bySeconds: seconds < earliest ? earliest : latest)
    }

    /// Returns the seconds between the median and the earliness that clears `EARLY`; infinite without a timetable.
    ///
    /// Without this limit, punctual runs would be shown as early at distant stops, where intervals are wide.
    private func sideSeconds(_ middleSeconds: Double, _ scheduledAt: Timestamp?, at now: Timestamp) -> Double {
        guard let scheduledAt else { return .infinity }
        let clearingSeconds = settings.delay.earlySeconds - settings.delay.hysteresisSeconds
        return abs(middleSeconds - scheduledAt.seconds(since: now) + Double(clearingSeconds))
    }

    // MARK: Learning from arrivals

    /// Maximum recorded estimates of a trip per row of the interval table.
    private static let probesPerRow = 3
    /// Sampling factor per row: one of this many stops of a run is recorded.
    private static let stopsPerRow: [Int64] = [1, 2, 3, 4, 6, 12, 12, 12]
    /// Interval at whose multiples estimates are recorded, instead of per fix, because riders read ETAs at any time.
    private static let probeMilliseconds: Int64 = 10_000

    /// Returns whether a multiple of ``probeMilliseconds`` has passed since the last record.
    func isProbeDue(_ progress: TripProgress, at now: Timestamp) -> Bool {
        now.milliseconds / Self.probeMilliseconds != progress.recordedAt.milliseconds / Self.probeMilliseconds
    }

    /// Records an estimate at regular times, for comparison with the observed arrival.
    func recordProbe(
        _ progress: inout TripProgress, _ stop: Int, _ ahead: StopPrediction, _ interval: ArrivalInterval,
        _ plan: TripPlan,
        at now: Timestamp
    ) {
        let row = interval.row(nearestTo: ahead.seconds)
        let intervals = Int64(interval.rows[row].etaSeconds * 1000) / Int64(Self.probesPerRow) / Self.probeMilliseconds
        let gap = max(2, intervals) * Self.probeMilliseconds
        let slot = now.milliseconds / gap
        guard slot != progress.recordedAt.milliseconds / gap else { return }
        let stopsPerProbe = plan.kind == .transit ? Self.stopsPerRow[min(row, Self.stopsPerRow.count - 1)] : 1
        guard (slot &+ Int64(stop)) % stopsPerProbe == 0 else { return }
        let count = progress.probes.count { interval.row(nearestTo: Double($0.etaSeconds)) == row }
        guard count < Self.probesPerRow else { return }
        progress.probes.append(
            ArrivalProbe(
                stop: stop, etaSeconds: Float(ahead.seconds),
                arrivesAt: now.advanced(bySeconds: ahead.seconds - ahead.ageSeconds)))
    }
}
