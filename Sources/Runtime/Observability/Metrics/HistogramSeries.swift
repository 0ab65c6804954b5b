import CoreMetrics
import Synchronization

/// One time series of a histogram: observations per bucket, and their sum.
package final class HistogramSeries: MetricSeries, TimerHandler, RecorderHandler {
    // nonisolated(unsafe): the bounds are only written in init, and the counts are atomic.
    private nonisolated(unsafe) let bounds: UnsafeMutableBufferPointer<Double>
    private nonisolated(unsafe) let counts: UnsafeMutablePointer<Atomic<UInt64>>
    private let sum = AtomicDouble()
    private let boundLabels: [String]

    /// - Parameter buckets: inclusive upper bounds, ascending, without infinity.
    package init(buckets: [Double]) {
        bounds = .allocate(capacity: buckets.count)
        _ = bounds.initialize(from: buckets)
        counts = .allocate(capacity: buckets.count + 1)
        for index in 0...buckets.count { (counts + index).initialize(to: Atomic(0)) }
        boundLabels = (buckets + [.infinity]).map { PrometheusText.labels([("le", PrometheusText.number($0))]) }
    }

    deinit {
        counts.deinitialize(count: bounds.count + 1)
        counts.deallocate()
        bounds.deinitialize()
        bounds.deallocate()
    }

    /// Counts an observation, in the metric's base unit; NaN is ignored.
    package func observe(_ value: Double) {
        guard !value.isNaN else { return }
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        counts[bucket].wrappingAdd(1, ordering: .relaxed)
        sum.add(value)
    }

    package func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1_000_000_000) }
    package func record(_ value: Int64) { observe(Double(value)) }
    package func record(_ value: Double) { observe(value) }

    package func write(name: String, labels: String, into output: inout PrometheusText) {
        let separator = labels.isEmpty ? "" : ","
        var total: UInt64 = 0
        for index in 0...bounds.count {
            total += counts[index].load(ordering: .relaxed)
            output.writeSample("\(name)_bucket", labels: labels + separator + boundLabels[index], Double(total))
        }
        output.writeSample("\(name)_sum", labels: labels, sum.value)
        // The count is that of the last bucket, so that a scrape during observations is consistent.
        output.writeSample("\(name)_count", labels: labels, Double(total))
    }
}
