import CoreMetrics
import Processing

extension Counter {
    /// Creates a counter for a declared metric.
    ///
    /// ```swift
    /// let consumed = Counter(.recordsIn, [(.stage, "location"), (.topic, "driver.locations.raw")])
    /// ```
    package convenience init(_ metric: MetricDefinition, _ labels: [(MetricLabel, String)] = []) {
        self.init(label: metric.name, dimensions: labels.map { ($0.rawValue, $1) })
    }
}

extension Meter {
    /// Creates a meter for a declared metric.
    package convenience init(_ metric: MetricDefinition, _ labels: [(MetricLabel, String)] = []) {
        self.init(label: metric.name, dimensions: labels.map { ($0.rawValue, $1) })
    }
}

extension CoreMetrics.Timer {
    /// Creates a timer for a declared metric.
    package convenience init(_ metric: MetricDefinition, _ labels: [(MetricLabel, String)] = []) {
        self.init(label: metric.name, dimensions: labels.map { ($0.rawValue, $1) })
    }
}
