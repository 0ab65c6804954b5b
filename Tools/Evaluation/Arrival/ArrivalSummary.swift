/// Figures of one recording.
package struct ArrivalSummary: Sendable, Encodable {
    /// Figures of one range of time to the actual arrival.
    package struct Bucket: Sendable, Encodable {
        package var bucket: String
        package var errors: ErrorFigures
        package var interval: IntervalFigures
        /// Mean absolute error of each method in seconds.
        package var meanAbsoluteSeconds: [String: Double]
    }

    /// Figures of one prediction method, up to 30 minutes before arrivals.
    package struct Method: Sendable, Encodable {
        package var method: String
        package var errors: ErrorFigures
        /// Mean of the four shares of the ETA Accuracy Benchmark.
        package var benchmark: Double?
        package var transitAuthorityShares: [Double?]
        package var accurateMinutesShare: Double?
        package var catchLikelihood: Double?
        package var wobbleMinutes: Double?
        /// 1 minus Sightline's mean absolute error divided by this method's mean absolute error.
        package var improvement: Double?

        init(_ name: String, _ series: [ArrivalSeries], by method: ArrivalMethod, ours: ErrorFigures? = nil) {
            self.method = name
            errors = ErrorFigures(of: series, by: method, in: .whole)
            benchmark = AccuracyBands.mean(AccuracyBands.etaAccuracyBenchmark.shares(of: series, by: method))
            transitAuthorityShares = AccuracyBands.transitAuthority.shares(of: series, by: method)
            let service = ServiceMinutes(of: series, by: method)
            accurateMinutesShare = service.accurateShare
            catchLikelihood = service.catchLikelihood
            wobbleMinutes = service.wobbleMinutes
            if let ours, errors.meanAbsoluteSeconds > 0, errors.count > 0 {
                improvement = 1 - ours.meanAbsoluteSeconds / errors.meanAbsoluteSeconds
            }
        }
    }

    package var name: String
    package var trips: Int
    package var arrivals: Int
    /// Share of the samples up to 45 minutes before an arrival that have a prediction.
    package var givenShare: Double?
    package var buckets: [Bucket]
    package var methods: [Method]
    /// Figures of Sightline while a run waits at its first stop, and after its departure; empty for rides.
    package var phases: [Method]
    package var gating: GatingFigures
    package var savedMessagesShare: Double?
    /// Additional mean absolute error of the messages that riders receive, in seconds.
    package var gatingPenaltySeconds: Double?

    package init(name: String, series: [ArrivalSeries], gating: GatingFigures) {
        self.name = name
        trips = Set(series.map(\.tripID)).count
        arrivals = series.count
        let given = series.reduce(0) { $0 + $1.samples.count }
        let missing = series.reduce(0) { $0 + $1.missing }
        givenShare = given + missing > 0 ? Double(given) / Double(given + missing) : nil
        buckets = Range.reported.map { Self.bucket($0, series) }
        let ours = ErrorFigures(of: series, by: .ours, in: .whole)
        methods = ArrivalMethod.allCases.map { Method($0.name, series, by: $0, ours: ours) }
        phases = Self.phases(of: series)
        self.gating = gating
        savedMessagesShare = gating.savedShare
        let shown = ErrorFigures(of: series, by: .shown, in: .whole)
        gatingPenaltySeconds =
            ours.count > 0 && shown.count > 0 ? shown.meanAbsoluteSeconds - ours.meanAbsoluteSeconds : nil
    }

    private static func bucket(_ bucket: Range<Double>, _ series: [ArrivalSeries]) -> Bucket {
        var means: [String: Double] = [:]
        for method in ArrivalMethod.allCases {
            let errors = ErrorFigures(of: series, by: method, in: bucket)
            if errors.count > 0 { means[method.rawValue] = errors.meanAbsoluteSeconds }
        }
        return Bucket(
            bucket: bucket.minutes, errors: ErrorFigures(of: series, by: .ours, in: bucket),
            interval: IntervalFigures(of: series, in: bucket), meanAbsoluteSeconds: means)
    }

    private static func phases(of series: [ArrivalSeries]) -> [Method] {
        guard series.contains(where: { $0.samples.contains(where: \.isBeforeDeparture) }) else { return [] }
        return [("before departure", true), ("after departure", false)].map { name, isBefore in
            Method("sightline, \(name)", series.map { $0.predicted(beforeDeparture: isBefore) }, by: .ours)
        }
    }
}

/// Messages saved by gating, which suppresses messages without a relevant change, and changes of the delay flag.
package struct GatingFigures: Sendable, Equatable, Encodable {
    /// Records made from fixes: the messages without gating.
    package var fixRecords = 0
    /// ETA messages sent to riders.
    package var messages = 0
    /// Changes of a stop's delay flag from one known value to another.
    package var flagChanges = 0
    /// Changes within 60 s of the previous change.
    package var flagFlips = 0

    package mutating func add(_ other: GatingFigures) {
        fixRecords += other.fixRecords
        messages += other.messages
        flagChanges += other.flagChanges
        flagFlips += other.flagFlips
    }

    /// Share of messages saved, relative to one per fix.
    package var savedShare: Double? { fixRecords > 0 ? 1 - Double(messages) / Double(fixRecords) : nil }
}
