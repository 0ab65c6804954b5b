import CoreMetrics
import Synchronization
import Testing

@testable import Processing
@testable import Runtime

@Suite("Metrics registry")
struct MetricsRegistryTests {
    static let build = BuildInfo(name: "test-worker", version: "9.9.9")
    static let partition: [(String, String)] = [("stage", "eta"), ("partition", "3")]
    static let location: [(String, String)] = [("stage", "location"), ("topic", "driver.locations.raw")]

    /// The reported misuses of a registry.
    final class Misuses: Sendable {
        private let collected = Mutex<[MetricMisuse]>([])
        var all: [MetricMisuse] { collected.withLock { $0 } }
        func add(_ misuse: MetricMisuse) { collected.withLock { $0.append(misuse) } }
    }

    final class Flag: Sendable {
        private let raised = Atomic(false)
        var isRaised: Bool { raised.load(ordering: .relaxed) }
        func raise() { raised.store(true, ordering: .relaxed) }
    }

    private func registry(_ misuses: Misuses = Misuses()) -> MetricsRegistry {
        MetricsRegistry(build: Self.build) { misuses.add($0) }
    }

    @Test("a parsed scrape equals the recorded values")
    func scrape() throws {
        let registry = registry()
        Counter(label: "sightline_records_in_total", dimensions: Self.location, factory: registry).increment(by: 41)
        Counter(label: "sightline_records_in_total", dimensions: Self.location, factory: registry).increment()
        let group: [(String, String)] = [("stage", "eta"), ("consumer_group", "sightline.eta")]
        Meter(label: "sightline_partitions_assigned", dimensions: group, factory: registry).set(2.5)
        let timer = Timer(label: "sightline_batch_duration_seconds", dimensions: [("stage", "eta")], factory: registry)
        timer.recordNanoseconds(1_000_000)
        timer.recordNanoseconds(1_000_001)
        timer.recordNanoseconds(60_000_000_000)

        let snapshot = try MetricsSnapshot(parsing: registry.render())
        #expect(
            snapshot.value("sightline_records_in_total", ["stage": "location", "topic": "driver.locations.raw"]) == 42)
        #expect(snapshot.sum("sightline_partitions_assigned") == 2.5)
        #expect(snapshot.value("sightline_build_info", ["program": "test-worker", "version": "9.9.9"]) == 1)
        let histogram = try #require(snapshot.histogram("sightline_batch_duration_seconds"))
        #expect(histogram.count == 3)
        #expect(abs(histogram.sum - 60.002000001) < 1e-9)
        #expect(snapshot.value("sightline_batch_duration_seconds_bucket", ["stage": "eta", "le": "0.001"]) == 1)
        #expect(snapshot.value("sightline_batch_duration_seconds_bucket", ["stage": "eta", "le": "0.0025"]) == 2)
        #expect(snapshot.value("sightline_batch_duration_seconds_bucket", ["stage": "eta", "le": "10"]) == 2)
        #expect(snapshot.value("sightline_batch_duration_seconds_bucket", ["stage": "eta", "le": "+Inf"]) == 3)
        #expect(snapshot.value("sightline_batch_duration_seconds_count", ["stage": "eta"]) == 3)
    }

    @Test("every metric has a help line followed by its only type line")
    func headers() throws {
        let registry = registry()
        for metric in MetricCatalogue.all where metric.name.hasPrefix("sightline_") { create(metric, in: registry) }
        let text = registry.render()
        for metric in MetricCatalogue.all {
            let lines = "# HELP \(metric.name) \(PrometheusText.escapedHelp(metric.help))\n# TYPE \(metric.name) "
            #expect(text.contains(lines + "\(metric.kind.prometheusName)\n"))
            #expect(text.count(of: "# TYPE \(metric.name) ") == 1)
        }
    }

    @Test("a scrape contains plausible metrics of this process")
    func processMetrics() throws {
        let snapshot = try MetricsSnapshot(parsing: registry().render())
        let resident = try #require(snapshot.value("process_resident_memory_bytes"))
        #expect(resident > 1_000_000 && resident < 1e11)
        #expect(try #require(snapshot.value("process_open_fds")) >= 3)
        #expect(try #require(snapshot.value("process_cpu_seconds_total")) >= 0)
        let started = try #require(snapshot.value("process_start_time_seconds"))
        let now = Double(WallClock.milliseconds()) / 1000
        // The kernel rounds the boot time to seconds, and start times of processes to hundredths.
        #expect(started < now + 2 && started > now - 86_400)
    }

    @Test("concurrent recording loses no value")
    func concurrency() async throws {
        let registry = registry()
        let threads = 8
        let rounds = 20_000
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<threads {
                group.addTask {
                    // The handles of all tasks must share one series.
                    let counter = Counter(
                        label: "sightline_records_in_total", dimensions: Self.location, factory: registry)
                    let fractions = FloatingPointCounter(
                        label: "sightline_fixes_lost_total", dimensions: [], factory: registry)
                    let gauge = Meter(
                        label: "sightline_restore_remaining_records", dimensions: Self.partition, factory: registry)
                    let timer = Timer(
                        label: "sightline_batch_duration_seconds", dimensions: [("stage", "eta")], factory: registry)
                    for _ in 0..<rounds {
                        counter.increment()
                        fractions.increment(by: 0.25)
                        gauge.increment(by: 1.0)
                        timer.recordNanoseconds(500_000_000)
                    }
                }
            }
        }
        let snapshot = try MetricsSnapshot(parsing: registry.render())
        let total = Double(threads * rounds)
        #expect(snapshot.sum("sightline_records_in_total") == total)
        #expect(snapshot.value("sightline_fixes_lost_total") == total / 4)
        #expect(snapshot.sum("sightline_restore_remaining_records") == total)
        let histogram = try #require(snapshot.histogram("sightline_batch_duration_seconds"))
        #expect(histogram.count == total)
        // Sums of 0.5 have no rounding error.
        #expect(histogram.sum == total / 2)
    }

    @Test("in a scrape during recording, each histogram agrees with its count")
    func scrapeWhileRecording() async throws {
        let registry = registry()
        let series = registry.makeTimer(label: MetricDefinition.batchDuration.name, dimensions: [("stage", "eta")])
        let flag = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<50_000 { series.recordNanoseconds(Int64(round % 20) * 500_000_000) }
                flag.raise()
            }
            group.addTask {
                repeat {
                    let snapshot = try MetricsSnapshot(parsing: registry.render())
                    let histogram = try #require(snapshot.histogram("sightline_batch_duration_seconds"))
                    #expect(histogram.cumulativeCounts == histogram.cumulativeCounts.sorted())
                    #expect(snapshot.sum("sightline_batch_duration_seconds_count") == histogram.count)
                } while !flag.isRaised
            }
            try await group.waitForAll()
        }
        let snapshot = try MetricsSnapshot(parsing: registry.render())
        #expect(snapshot.sum("sightline_batch_duration_seconds_count") == 50_000)
    }

    @Test("an undeclared metric is dropped and reported once")
    func undeclared() {
        let misuses = Misuses()
        let registry = registry(misuses)
        for _ in 0..<3 { Counter(label: "sightline_typo_total", dimensions: [], factory: registry).increment() }
        Counter(label: "http_requests_total", dimensions: [], factory: registry).increment()
        #expect(misuses.all == [.undeclared(name: "sightline_typo_total"), .undeclared(name: "http_requests_total")])
        #expect(misuses.all.map(\.isBug) == [true, false])
        #expect(!registry.render().contains("typo"))
    }

    @Test("labels other than the declared labels are reported; the order of labels is free")
    func labels() {
        let misuses = Misuses()
        let registry = registry(misuses)
        Counter(label: "sightline_records_in_total", dimensions: Self.location.reversed(), factory: registry)
            .increment()
        #expect(misuses.all.isEmpty)
        Counter(label: "sightline_records_in_total", dimensions: [("stage", "eta")], factory: registry).increment()
        #expect(
            misuses.all == [
                .wrongLabels(name: "sightline_records_in_total", declared: ["stage", "topic"], used: ["stage"])
            ])
    }

    @Test("the use of a metric with a type other than declared is reported")
    func kinds() {
        let misuses = Misuses()
        let registry = registry(misuses)
        Meter(label: "sightline_fixes_lost_total", dimensions: [], factory: registry).set(1.0)
        Timer(label: "process_open_fds", dimensions: [], factory: registry).recordNanoseconds(1)
        #expect(
            misuses.all == [
                .wrongKind(name: "sightline_fixes_lost_total", declared: "counter", used: "gauge"),
                .wrongKind(name: "process_open_fds", declared: "gauge", used: "histogram"),
            ])
    }

    @Test("series of a metric beyond the limit are dropped and reported once")
    func seriesLimit() throws {
        let misuses = Misuses()
        let registry = registry(misuses)
        let limit = MetricsRegistry.maximumSeriesPerMetric
        for code in 0...limit + 1 {
            Counter(
                label: "sightline_kafka_errors_total", dimensions: [("stage", "eta"), ("code", "\(code)")],
                factory: registry
            ).increment()
        }
        #expect(misuses.all == [.tooManySeries(name: "sightline_kafka_errors_total", limit: limit)])
        #expect(try sum("sightline_kafka_errors_total", in: registry) == Double(limit))
    }

    @Test("a destroyed series is not rendered and can be created again")
    func destroy() throws {
        let registry = registry()
        let partition: [(String, String)] = [
            ("stage", "eta"), ("consumer_group", "sightline.eta"), ("topic", "trips"), ("partition", "3"),
        ]
        let gauge = Meter(label: "sightline_lag_records", dimensions: partition, factory: registry)
        gauge.set(17.0)
        #expect(try sum("sightline_lag_records", in: registry) == 17)
        gauge.destroy()
        #expect(!registry.render().contains("sightline_lag_records"))
        Meter(label: "sightline_lag_records", dimensions: partition, factory: registry).set(1.0)
        #expect(try sum("sightline_lag_records", in: registry) == 1)
    }

    @Test("a counter ignores negative increments")
    func negativeIncrements() throws {
        let series = CounterSeries()
        series.increment(by: Int64(5))
        series.increment(by: Int64(-3))
        series.increment(by: -1.5)
        series.increment(by: Double.nan)
        #expect(series.value == 5)
    }

    @Test(
        "an observation counts from the first bucket whose bound it does not exceed",
        arguments: [(0.0, 0), (0.1, 0), (0.1.nextUp, 1), (1.0, 1), (1.0.nextUp, 2), (Double.infinity, 2)])
    func bucketBounds(value: Double, bucket: Int) throws {
        let series = HistogramSeries(buckets: [0.1, 1])
        for _ in 0..<7 { series.observe(value) }
        var output = PrometheusText()
        series.write(name: "m", labels: "", into: &output)
        let histogram = try #require(try MetricsSnapshot(parsing: output.text).histogram("m"))
        #expect(histogram.cumulativeCounts == (0..<3).map { $0 < bucket ? 0 : 7 })
    }

    private func sum(_ name: String, in registry: MetricsRegistry) throws -> Double {
        try MetricsSnapshot(parsing: registry.render()).sum(name)
    }

    private func create(_ metric: MetricDefinition, in registry: MetricsRegistry) {
        let labels = metric.labels.map { ($0.rawValue, "x") }
        switch metric.kind {
        case .counter: _ = registry.makeCounter(label: metric.name, dimensions: labels)
        case .gauge: _ = registry.makeMeter(label: metric.name, dimensions: labels)
        case .histogram: _ = registry.makeTimer(label: metric.name, dimensions: labels)
        }
    }
}

extension String {
    /// Returns the number of occurrences of `text`.
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
