import CoreMetrics
import Logging
import Processing
import Synchronization

/// Backend of swift-metrics that renders the Prometheus text format.
///
/// Recording is lock-free; creating and destroying a series, and rendering, take a lock. Handles with the same name and
/// labels share a series, which the first handle creates at zero. Metrics that the catalogue does not declare are
/// dropped and logged once; a debug build stops at those of Sightline.
package final class MetricsRegistry: Sendable {
    /// Maximum series of a metric, which bounds memory; over three times 96 partitions of 11 topics.
    package static let maximumSeriesPerMetric = 4096

    private struct Family {
        var definition: MetricDefinition
        /// Series by their label values, in declared order.
        var series: [[String]: any MetricSeries] = [:]
    }

    private struct State {
        var families: [String: Family]
        var reported: Set<String> = []
    }

    private let state: Mutex<State>
    private let order: [String]
    private let onMisuse: @Sendable (MetricMisuse) -> Void
    private let process = ProcessMetrics()

    /// Creates a registry; `build` becomes `sightline_build_info`, `onMisuse` gets each metric's first misuse.
    package init(
        build: BuildInfo, catalogue: [MetricDefinition] = MetricCatalogue.all,
        onMisuse: @escaping @Sendable (MetricMisuse) -> Void = MetricsRegistry.report
    ) {
        order = catalogue.map(\.name)
        let families = Dictionary(
            catalogue.map { ($0.name, Family(definition: $0)) }, uniquingKeysWith: { first, _ in first })
        precondition(families.count == catalogue.count, "A metric is declared twice.")
        state = Mutex(State(families: families))
        self.onMisuse = onMisuse
        let labels: [(String, String)] = [
            (MetricLabel.program.rawValue, build.name), (MetricLabel.version.rawValue, build.version),
        ]
        if families[MetricDefinition.buildInfo.name] != nil {
            makeMeter(label: MetricDefinition.buildInfo.name, dimensions: labels).set(Int64(1))
        }
    }

    /// Default handler of misuses, which logs them; a debug build stops at a bug of Sightline.
    package static let report: @Sendable (MetricMisuse) -> Void = { misuse in
        if misuse.isBug { assertionFailure(misuse.description) }
        Logger(label: "metrics").log(
            level: misuse.isBug ? .error : .debug, "Metric does not match its declaration and is dropped.",
            metadata: [LogKey.metric.rawValue: "\(misuse.name)", LogKey.reason.rawValue: "\(misuse)"])
    }

    /// Renders all series for a scrape, in the catalogue's order.
    package func render() -> String {
        let samples = process.sample()
        let families = state.withLock { $0.families }
        var output = PrometheusText()
        for name in order {
            guard let family = families[name] else { continue }
            let labelNames = family.definition.labels.map(\.rawValue)
            if let sample = samples[family.definition] {
                output.writeHeader(family.definition)
                output.writeSample(name, labels: "", sample)
            } else if !family.series.isEmpty {
                output.writeHeader(family.definition)
                for (values, series) in family.series.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                    let pairs = zip(labelNames, values).map { (name: $0, value: $1) }
                    series.write(name: name, labels: PrometheusText.labels(pairs), into: &output)
                }
            }
        }
        return output.text
    }

    /// Returns or creates the series of `name` with these labels; `nil` for a misuse, reported once per name.
    func series<Series: MetricSeries>(
        _ name: String, _ dimensions: [(String, String)], as used: String, make: (MetricDefinition) -> Series?
    ) -> Series? {
        let (series, misuse) = state.withLock { state -> (Series?, MetricMisuse?) in
            let result = Self.find(name, dimensions, as: used, in: &state, make: make)
            switch result {
            case .success(let series): return (series, nil)
            case .failure(let misuse): return (nil, state.reported.insert(name).inserted ? misuse : nil)
            }
        }
        // Outside the lock, because the callback may log and a log handler may use metrics.
        if let misuse { onMisuse(misuse) }
        return series
    }

    private static func find<Series: MetricSeries>(
        _ name: String, _ dimensions: [(String, String)], as used: String, in state: inout State,
        make: (MetricDefinition) -> Series?
    ) -> Result<Series, MetricMisuse> {
        guard let definition = state.families[name]?.definition else { return .failure(.undeclared(name: name)) }
        guard let values = labelValues(of: dimensions, for: definition) else {
            return .failure(
                .wrongLabels(name: name, declared: definition.labels.map(\.rawValue), used: dimensions.map(\.0)))
        }
        let existing = state.families[name]?.series
        if let series = existing?[values] as? Series { return .success(series) }
        guard let made = make(definition), existing?[values] == nil else {
            return .failure(.wrongKind(name: name, declared: definition.kind.prometheusName, used: used))
        }
        guard existing?.count ?? 0 < maximumSeriesPerMetric else {
            return .failure(.tooManySeries(name: name, limit: maximumSeriesPerMetric))
        }
        state.families[name]?.series[values] = made
        return .success(made)
    }

    /// Returns the values in declared order; `nil` if the labels are not exactly the declared ones.
    private static func labelValues(of dimensions: [(String, String)], for definition: MetricDefinition) -> [String]? {
        guard dimensions.count == definition.labels.count else { return nil }
        var values: [String] = []
        for label in definition.labels {
            guard let value = dimensions.first(where: { $0.0 == label.rawValue })?.1 else { return nil }
            values.append(value)
        }
        return values
    }

    /// Removes a series from scrapes; its handles have no effect afterwards.
    func remove(_ handler: AnyObject) {
        state.withLock { state in
            for (name, family) in state.families {
                for (values, series) in family.series where series === handler {
                    state.families[name]?.series[values] = nil
                }
            }
        }
    }
}
