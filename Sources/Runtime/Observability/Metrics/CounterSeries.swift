import CoreMetrics
import Synchronization

/// One time series of a counter; negative increments are ignored.
package final class CounterSeries: MetricSeries, CounterHandler, FloatingPointCounterHandler {
    // Whole amounts are counted separately: they stay exact beyond 2^53, and an integer addition needs no retries.
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
