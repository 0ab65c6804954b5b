/// Figures of one recording, or of one line in it.
package struct ArrivalSummary: Sendable, Codable {
    /// Figures of one range of time to the actual arrival.
    package struct Bucket: Sendable, Codable {
        package var bucket: String
        package var minutes: [Double]
        package var errors: ErrorFigures
        package var interval: IntervalFigures
        /// Mean absolute error of each method in seconds.
        package var meanAbsoluteSeconds: [String: Double]
    }

    /// Figures of one prediction method.
    package struct Method: Sendable, Codable {
        package var method: String
        package var errors: ErrorFigures
        /// The four shares of the ETA Accuracy Benchmark and their mean.
        package var benchmarkShares: [Double?]
        package var benchmark: Double?
        package var transitAuthorityShares: [Double?]
        package var service: ServiceMinutes
        package var accurateMinutesShare: Double?
        package var catchLikelihood: Double?
        package var wobbleMinutes: Double?
        /// 1 minus Sightline's mean absolute error over this method's, up to 30 minutes before arrivals.
        package var improvement: Double?

        init(_ name: String, _ series: [ArrivalSeries], by method: ArrivalMethod, ours: ErrorFigures?) {
            self.method = name
            errors = ErrorFigures(of: series, by: method, in: .whole)
            benchmarkShares = AccuracyBands.etaAccuracyBenchmark.shares(of: series, by: method)
            benchmark = AccuracyBands.mean(benchmarkShares)
            transitAuthorityShares = AccuracyBands.transitAuthority.shares(of: series, by: method)
            service = ServiceMinutes(of: series, by: method)
            accurateMinutesShare = service.accurateShare
            catchLikelihood = service.catchLikelihood
            wobbleMinutes = service.wobbleMinutes
            if let ours, errors.meanAbsoluteSeconds > 0, errors.count > 0 {
                improvement = 1 - ours.meanAbsoluteSeconds / errors.meanAbsoluteSeconds
            }
        }
    }

    /// Figures while a run waits at its first stop, or after its departure.
    package struct Phase: Sendable, Codable {
        package var phase: String
        package var buckets: [Bucket]
        package var method: Method
    }

    package var name: String
    /// Whether it is one line of a recording that also has a summary as a whole.
    package var isLine = false
    package var half: EvaluationHalf
    package var trips: Int
    package var arrivals: Int
    /// Share of the samples up to 45 minutes before an arrival that have a prediction.
    package var givenShare: Double?
    package var buckets: [Bucket]
    package var methods: [Method]
    /// Sightline without learning from other trips.
    package var unlearned: Method?
    /// Sightline with road speeds of the same day only; for whole recordings of several days.
    package var cold: Method?
    /// Before and after the departure; empty for rides.
    package var phases: [Phase]
    package var gating: GatingFigures
    package var savedMessagesShare: Double?
    /// Additional mean absolute error of the messages that riders receive, in seconds.
    package var gatingPenaltySeconds: Double?

    /// Computes the figures of `series`, predicted with learning, and of `unlearned`, predicted without.
    package init(
        name: String, half: EvaluationHalf, series: [ArrivalSeries], unlearned: [ArrivalSeries],
        gating: GatingFigures
    ) {
        self.name = name
        self.half = half
        trips = Set(series.map(\.tripID)).count
        arrivals = series.count
        let given = series.reduce(0) { $0 + $1.samples.count }
        let missing = series.reduce(0) { $0 + $1.missing }
        givenShare = given + missing > 0 ? Double(given) / Double(given + missing) : nil
        buckets = HorizonBucket.reported.map { Self.bucket($0, series) }
        let ours = ErrorFigures(of: series, by: .ours, in: .whole)
        methods = ArrivalMethod.allCases.map { Method($0.name, series, by: $0, ours: ours) }
        self.unlearned =
            unlearned.isEmpty ? nil : Method("sightline, nothing learned", unlearned, by: .ours, ours: ours)
        phases = Self.phases(of: series)
        self.gating = gating
        savedMessagesShare = gating.savedShare
        let shown = ErrorFigures(of: series, by: .shown, in: .whole)
        gatingPenaltySeconds =
            ours.count > 0 && shown.count > 0 ? shown.meanAbsoluteSeconds - ours.meanAbsoluteSeconds : nil
    }

    /// Returns the figures of `method`; `nil` if it never predicted.
    func method(_ method: ArrivalMethod) -> Method? {
        methods.first { $0.method == method.name && $0.errors.count > 0 }
    }

    private static func bucket(_ bucket: HorizonBucket, _ series: [ArrivalSeries]) -> Bucket {
        var means: [String: Double] = [:]
        for method in ArrivalMethod.allCases {
            let errors = ErrorFigures(of: series, by: method, in: bucket)
            if errors.count > 0 { means[method.rawValue] = errors.meanAbsoluteSeconds }
        }
        return Bucket(
            bucket: bucket.name, minutes: [bucket.fromSeconds / 60, bucket.toSeconds / 60],
            errors: ErrorFigures(of: series, by: .ours, in: bucket),
            interval: IntervalFigures(of: series, in: bucket), meanAbsoluteSeconds: means)
    }

    private static func phases(of series: [ArrivalSeries]) -> [Phase] {
        guard series.contains(where: { $0.samples.contains(where: \.isBeforeDeparture) }) else { return [] }
        return [("before departure", true), ("after departure", false)].map { name, isBefore in
            let part = series.map { $0.predicted(beforeDeparture: isBefore) }
            return Phase(
                phase: name, buckets: HorizonBucket.reported.map { bucket($0, part) },
                method: Method("sightline, \(name)", part, by: .ours, ours: nil))
        }
    }
}

/// Messages saved by gating, which suppresses messages without a relevant change, and changes of the delay flag.
package struct GatingFigures: Sendable, Equatable, Codable {
    /// Records made from fixes: the messages without gating.
    package var fixRecords = 0
    /// Records made by punctuations.
    package var punctuationRecords = 0
    /// ETA messages sent to riders.
    package var messages = 0
    /// Changes of a stop's delay flag from one known value to another.
    package var flagChanges = 0
    /// Changes within 60 s of the previous one.
    package var flagFlips = 0

    package mutating func add(_ other: GatingFigures) {
        fixRecords += other.fixRecords
        punctuationRecords += other.punctuationRecords
        messages += other.messages
        flagChanges += other.flagChanges
        flagFlips += other.flagFlips
    }

    /// Share of messages saved, relative to one per fix.
    package var savedShare: Double? { fixRecords > 0 ? 1 - Double(messages) / Double(fixRecords) : nil }
}
