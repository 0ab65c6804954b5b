import Domain

/// Memory and file descriptors of every worker over time, and whether they grow.
///
/// What counts is each process's own life after a warm-up: a worker that was replaced begins anew.
final class ResourceMonitor {
    struct Sample {
        var minutes: Double
        var mebibytes: Double
        var descriptors: Double
    }

    /// How one process did after its warm-up.
    struct Verdict: Encodable {
        var worker: String
        var minutes: Double
        var mebibytesAtLast: Double
        /// Of the line of best fit.
        var mebibytesPerMinute: Double
        /// Median of the last third less median of the first.
        var descriptorGrowth: Double

        /// A leak of this size would cost 30 MiB in an hour.
        static let mostMebibytesPerMinute = 0.5
        /// Connections come and go with faults; a leak would grow with each.
        static let mostDescriptorGrowth = 6.0

        var isFlat: Bool {
            mebibytesPerMinute <= Self.mostMebibytesPerMinute && descriptorGrowth <= Self.mostDescriptorGrowth
        }
    }

    private let warmUpMinutes: Double
    private let leastMinutes: Double
    private var samples: [String: [Sample]] = [:]
    private var lastSample = ContinuousClock.now

    ///
    /// `warmUpMinutes`: of each process's life; `leastMinutes`: what it has to live longer than that to be judged.
    init(warmUpMinutes: Double, leastMinutes: Double) {
        self.warmUpMinutes = warmUpMinutes
        self.leastMinutes = leastMinutes
    }

    /// Looks at all workers, every few seconds however often it is called.
    func note(_ workers: [Worker]) {
        guard lastSample.seconds >= 5 else { return }
        lastSample = .now
        for worker in workers where worker.isRunning {
            let minutes = worker.startedAt.seconds / 60
            guard minutes >= warmUpMinutes, let figures = ProcessFigures(of: worker.id) else { continue }
            samples[worker.name, default: []].append(
                Sample(
                    minutes: minutes, mebibytes: Double(figures.residentKibibytes) / 1024,
                    descriptors: Double(figures.fileDescriptors)))
        }
    }

    /// Of every process that lived long enough.
    var verdicts: [Verdict] {
        samples.sorted { $0.key < $1.key }.compactMap { name, samples in
            Self.judge(samples, of: name, leastMinutes: leastMinutes)
        }
    }

    /// `nil` for a life too short to be judged.
    static func judge(_ samples: [Sample], of worker: String, leastMinutes: Double) -> Verdict? {
        guard let first = samples.first, let last = samples.last, samples.count >= 9,
            last.minutes - first.minutes >= leastMinutes
        else { return nil }
        let third = samples.count / 3
        return Verdict(
            worker: worker, minutes: last.minutes - first.minutes, mebibytesAtLast: last.mebibytes,
            mebibytesPerMinute: slope(samples.map { ($0.minutes, $0.mebibytes) }),
            descriptorGrowth: median(samples.suffix(third).map(\.descriptors))
                - median(samples.prefix(third).map(\.descriptors)))
    }

    private static func slope(_ points: [(x: Double, y: Double)]) -> Double {
        let count = Double(points.count)
        let meanX = points.reduce(0) { $0 + $1.x } / count
        let meanY = points.reduce(0) { $0 + $1.y } / count
        let spread = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        return spread > 0 ? points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / spread : 0
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
