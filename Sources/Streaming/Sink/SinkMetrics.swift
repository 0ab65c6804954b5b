import CoreMetrics
import Pipeline

/// The metrics of a sink worker.
final class SinkMetrics {
    let common: WorkerMetrics
    let writeDuration: Timer
    let retries: Counter
    private let rows: Counter
    private let repeated: Counter
    private let unreadable: Counter
    private let outsideDays: Counter

    init(stage: String, topics: [String]) {
        common = WorkerMetrics(stage: stage, topics: topics)
        let dimensions = [("stage", stage)]
        writeDuration = Timer(label: "sightline_sink_write_duration_seconds", dimensions: dimensions)
        retries = Counter(label: "sightline_sink_retries_total", dimensions: dimensions)
        rows = Counter(label: "sightline_sink_rows_total", dimensions: dimensions)
        repeated = Counter(label: "sightline_records_repeated_total", dimensions: dimensions)
        unreadable = Counter(label: "sightline_records_unreadable_total", dimensions: dimensions)
        outsideDays = Counter(label: "sightline_sink_records_outside_days_total", dimensions: dimensions)
    }

    func add(_ report: SinkReport) {
        if report.written > 0 { rows.increment(by: report.written) }
        if report.repeated > 0 { repeated.increment(by: report.repeated) }
        if report.unreadable > 0 { unreadable.increment(by: report.unreadable) }
        if report.outsideDays > 0 { outsideDays.increment(by: report.outsideDays) }
    }
}
