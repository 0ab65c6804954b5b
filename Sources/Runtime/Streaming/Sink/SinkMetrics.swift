import CoreMetrics
import Processing

/// Metrics of a sink's worker.
final class SinkMetrics {
    let common: WorkerMetrics
    let writeDuration: Timer
    let retries: Counter
    private let rows: Counter
    private let repeated: Counter
    private let unreadable: Counter
    private let outsideDays: Counter

    init(stage: String, group: String, topics: [String]) {
        common = WorkerMetrics(stage: stage, group: group, topics: topics)
        let labels: [(MetricLabel, String)] = [(.stage, stage)]
        writeDuration = Timer(.sinkWriteDuration, labels)
        retries = Counter(.sinkRetries, labels)
        rows = Counter(.sinkRows, labels)
        repeated = Counter(.recordsRepeated, labels)
        unreadable = Counter(.recordsUnreadable, labels)
        outsideDays = Counter(.sinkRecordsOutsideDays, labels)
    }

    func add(_ report: SinkReport) {
        if report.written > 0 { rows.increment(by: report.written) }
        if report.repeated > 0 { repeated.increment(by: report.repeated) }
        if report.unreadable > 0 { unreadable.increment(by: report.unreadable) }
        if report.outsideDays > 0 { outsideDays.increment(by: report.outsideDays) }
    }
}
