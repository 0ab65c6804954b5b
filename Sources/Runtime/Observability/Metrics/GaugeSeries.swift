import CoreMetrics

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
