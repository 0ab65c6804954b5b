import Runtime

/// Samples memory and file descriptors of every worker and evaluates their growth.
///
/// Each process is evaluated separately, after its warm-up.
final class ResourceMonitor {
    struct Sample {
        var minutes: Double
        var mebibytes: Double
        var descriptors: Double
    }

    /// Growth of one process after its warm-up.
    struct Trend: Encodable {
        var worker: String
        var minutes: Double
        var mebibytesAtLast: Double
        /// Slope of the line of best fit.
        var mebibytesPerMinute: Double
        /// Median of the last third minus the median of the first third.
        var descriptorGrowth: Double

        /// Maximum slope of a flat trend: 30 MiB an hour.
        static let maximumMebibytesPerMinute = 0.5
        /// Maximum growth of a flat trend; allows for connections that faults open and close.
        static let maximumDescriptorGrowth = 6.0

        var isFlat: Bool {
            mebibytesPerMinute <= Self.maximumMebibytesPerMinute && descriptorGrowth <= Self.maximumDescriptorGrowth
        }
    }

    private let warmUpMinutes: Double
    private let minimumMinutes: Double
    private var samples: [String: [Sample]] = [:]
    private var lastSample = ContinuousClock.now

    /// `minimumMinutes`: the minimum time after the warm-up for an evaluation.
    init(warmUpMinutes: Double, minimumMinutes: Double) {
        self.warmUpMinutes = warmUpMinutes
        self.minimumMinutes = minimumMinutes
    }

    /// Samples all workers; calls within 5 s of the last sample have no effect.
    func sample(_ workers: [Worker]) {
        guard lastSample.elapsedSeconds >= 5 else { return }
        lastSample = .now
        for worker in workers where worker.isRunning {
            let minutes = worker.startedAt.elapsedSeconds / 60
            guard minutes >= warmUpMinutes, let figures = Self.figures(of: worker) else { continue }
            samples[worker.name, default: []].append(
                Sample(minutes: minutes, mebibytes: figures.mebibytes, descriptors: figures.descriptors))
        }
    }

    /// Returns the resident memory and the number of file descriptors; `nil` if the worker has ended.
    static func figures(of worker: Worker) -> (mebibytes: Double, descriptors: Double)? {
        let metrics = ProcessMetrics(of: worker.id)
        guard let bytes = metrics.residentBytes, let descriptors = metrics.openFileDescriptors else { return nil }
        return (bytes / 1_048_576, descriptors)
    }

    /// The trends of the processes that ran long enough for an evaluation.
    var trends: [Trend] {
        samples.sorted { $0.key < $1.key }.compactMap { name, samples in
            Self.trend(samples, of: name, minimumMinutes: minimumMinutes)
        }
    }

    /// Evaluates a process; returns `nil` for fewer than 9 samples or a shorter time than `minimumMinutes`.
    static func trend(_ samples: [Sample], of worker: String, minimumMinutes: Double) -> Trend? {
        guard let first = samples.first, let last = samples.last, samples.count >= 9,
            last.minutes - first.minutes >= minimumMinutes
        else { return nil }
        let third = samples.count / 3
        return Trend(
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
