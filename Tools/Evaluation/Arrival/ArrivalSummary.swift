/// The figures of one recording, or of one part of it.
package struct ArrivalSummary: Sendable, Codable {
    /// The figures of one range of time to the actual arrival.
    package struct Bucket: Sendable, Codable {
        package var bucket: String
        package var minutes: [Double]
        package var errors: ErrorFigures
        package var interval: IntervalFigures
        /// Mean absolute error in seconds of every method, by its name.
        package var meanAbsoluteSeconds: [String: Double]
    }

    /// The figures of one who predicts.
    package struct Method: Sendable, Codable {
        package var method: String
        package var errors: ErrorFigures
        /// The ETA Accuracy Benchmark's four shares and their mean.
        package var benchmarkShares: [Double?]
        package var benchmark: Double?
        package var transitAuthorityShares: [Double?]
        package var service: ServiceMinutes
        package var accurateMinutesShare: Double?
        package var catchLikelihood: Double?
        package var wobbleMinutes: Double?
        package var windowWobbleMinutes: Double?
        /// By how much of their mean absolute error ours is below the method's, over 30 minutes.
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
            windowWobbleMinutes = service.windowWobbleMinutes
            if let ours, errors.meanAbsoluteSeconds > 0, errors.count > 0 {
                improvement = 1 - ours.meanAbsoluteSeconds / errors.meanAbsoluteSeconds
            }
        }
    }

    /// The figures of one way in which estimates were made.
    package struct Basis: Sendable, Codable {
        package var basis: String
        package var count: Int
        package var meanAbsoluteSeconds: Double
        package var biasSeconds: Double
    }

    /// Ours while a run waits at its first stop, or after it has left it.
    package struct Phase: Sendable, Codable {
        package var phase: String
        package var buckets: [Bucket]
        package var method: Method
    }

    package var name: String
    /// Whether it is of one line alone, of a recording that has a summary as a whole too.
    package var isLine = false
    package var half: EvaluationHalf
    package var trips: Int
    package var arrivals: Int
    /// Share of the moments sampled within 30 minutes of an arrival at which there was a prediction.
    package var givenShare: Double?
    package var buckets: [Bucket]
    package var methods: [Method]
    /// Ours with nothing learned from other trips.
    package var unlearned: Method?
    /// Ours with what was learned on the same day only; of whole recordings of more than one.
    package var cold: Method?
    /// Before and after the departure; empty for rides.
    package var phases: [Phase]
    /// What other times told would gain and cost; of whole recordings with a timetable.
    package var frontier: [HeadlineChoice] = []
    package var bases: [Basis]
    package var gating: GatingFigures
    package var savedMessagesShare: Double?
    /// How much larger the mean absolute error is of what riders are shown, in seconds.
    package var gatingPenaltySeconds: Double?

    /// Figures of `series`, as predicted with learning, and of the same without.
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
        bases = ArrivalSample.Basis.allCases.compactMap { Self.basis($0, series) }
        self.gating = gating
        savedMessagesShare = gating.savedShare
        let shown = ErrorFigures(of: series, by: .shown, in: .whole)
        gatingPenaltySeconds =
            ours.count > 0 && shown.count > 0 ? shown.meanAbsoluteSeconds - ours.meanAbsoluteSeconds : nil
    }

    /// The figures of `method`; `nil` when it never predicted.
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

    private static func basis(_ basis: ArrivalSample.Basis, _ series: [ArrivalSeries]) -> Basis? {
        let errors = series.lazy.flatMap(\.samples)
            .filter { $0.basis == basis && HorizonBucket.whole.contains($0.horizonSeconds) }
            .compactMap { $0.errors[.ours] }
        let figures = ErrorFigures(errors: Array(errors))
        guard figures.count > 0 else { return nil }
        return Basis(
            basis: basis.rawValue, count: figures.count, meanAbsoluteSeconds: figures.meanAbsoluteSeconds,
            biasSeconds: figures.biasSeconds)
    }
}
