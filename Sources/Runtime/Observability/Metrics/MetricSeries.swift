import CoreMetrics
import Synchronization

/// One time series: a metric with one set of label values.
package protocol MetricSeries: AnyObject, Sendable {
    /// Appends the samples; `labels` are already escaped and have no braces.
    func write(name: String, labels: String, into output: inout PrometheusText)
}

/// One time series of a counter; negative increments are ignored.
package final class CounterSeries: MetricSeries, CounterHandler, FloatingPointCounterHandler {
    // Whole amounts are counted separately, because a Double loses increments of 1 above 2^53 and may need retries.
    private let whole = Atomic<Int64>(0)
    private let fractional = AtomicDouble()

    package init() {}

    package func increment(by amount: Int64) {
        if amount > 0 { whole.wrappingAdd(amount, ordering: .relaxed) }
    }

    package func increment(by amount: Double) {
        if amount > 0, amount.isFinite { fractional.add(amount) }
    }

    package func reset() {
        whole.store(0, ordering: .relaxed)
        fractional.store(0)
    }

    package var value: Double { Double(whole.load(ordering: .relaxed)) + fractional.value }

    package func write(name: String, labels: String, into output: inout PrometheusText) {
        output.writeSample(name, labels: labels, value)
    }
}

/// One time series of a gauge.
package final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    private let current = AtomicDouble()

    package init() {}

    package func set(_ value: Int64) { current.store(Double(value)) }
    package func set(_ value: Double) { current.store(value) }
    package func increment(by amount: Double) { current.add(amount) }
    package func decrement(by amount: Double) { current.add(-amount) }
    package func record(_ value: Int64) { set(value) }
    package func record(_ value: Double) { set(value) }

    package var value: Double { current.value }

    package func write(name: String, labels: String, into output: inout PrometheusText) {
        output.writeSample(name, labels: labels, value)
    }
}

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
        // Equals the last bucket, so that a scrape during observations is consistent.
        output.writeSample("\(name)_count", labels: labels, Double(total))
    }
}

/// Lock-free floating-point number for metrics; all operations are relaxed.
struct AtomicDouble: ~Copyable, Sendable {
    private let bits: Atomic<UInt64>

    init(_ value: Double = 0) { bits = Atomic(value.bitPattern) }

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func store(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func add(_ amount: Double) {
        var current = bits.load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: current) + amount
            let (exchanged, original) = bits.weakCompareExchange(
                expected: current, desired: sum.bitPattern, ordering: .relaxed)
            if exchanged { return }
            current = original
        }
    }
}
