import Testing

@testable import Recordings
@testable import SightlineCLI

@Suite("Figures during a run")
struct LiveFiguresTests {
    @Test("percentiles are exact to the millisecond, and durations are clamped to 0 to 60 s")
    func percentiles() {
        var histogram = LatencyHistogram()
        #expect(histogram.percentile(0.5) == nil)
        for milliseconds in Int64(1)...100 { histogram.record(milliseconds: milliseconds) }
        #expect(histogram.percentile(0.5) == 50 && histogram.percentile(0.99) == 99 && histogram.percentile(1) == 100)
        histogram.record(milliseconds: -5)
        histogram.record(milliseconds: .max)
        #expect(histogram.percentile(0) == 0 && histogram.percentile(1) == 60_000)
    }

    @Test("`since` returns the durations recorded after an earlier copy")
    func since() {
        var histogram = LatencyHistogram()
        histogram.record(milliseconds: 5)
        let earlier = histogram
        #expect(histogram.since(earlier).percentile(0.5) == nil)
        histogram.record(milliseconds: 70_000)
        histogram.record(milliseconds: 40)
        #expect(histogram.since(earlier).count == 2 && histogram.since(earlier).percentile(0.5) == 40)
    }

    private func page(records: Int) -> String {
        """
        # TYPE sightline_lag_records gauge
        sightline_lag_records{stage="eta",topic="trips",partition="0"} 3
        sightline_lag_records{partition="1",stage="eta",topic="trips"} 4.0
        sightline_lag_records{partition="1",stage="eta",topic="driver.locations"} 1
        sightline_partitions_assigned{stage="eta"} 4
        sightline_records_in_total{stage="eta",topic="trips"} \(records)
        sightline_records_in_total{stage="eta",topic="driver.locations"} 10
        """
    }

    @Test("the instances of a worker share a row, and rows are in pipeline order")
    func workers() {
        let history = "sightline_partitions_assigned{stage=\"history\"} 0"
        let rows = WorkerRow.rows(of: [history, page(records: 5), "no metrics", page(records: 7)])
        #expect(rows.map(\.stage) == ["eta", "history"])
        #expect(rows[0] == WorkerRow(stage: "eta", instances: 2, partitions: 4, recordsIn: 32, lag: 16))
        #expect(rows[1].instances == 1 && rows[1].lag == 0)
        #expect(WorkerRow.rows(of: []).isEmpty)
    }

    @Test("a rate needs two consecutive responses; a worker that stops responding keeps an empty row")
    func rates() {
        let first = WorkerRow.following([], WorkerRow.rows(of: [page(records: 5)]), seconds: 2)
        #expect(first.map(\.recordsPerSecond) == [nil])
        let second = WorkerRow.following(first, WorkerRow.rows(of: [page(records: 25)]), seconds: 2)
        #expect(second.map(\.recordsPerSecond) == [10])
        let restarted = WorkerRow.following(second, WorkerRow.rows(of: [page(records: 0)]), seconds: 2)
        #expect(restarted.map(\.recordsPerSecond) == [nil])
        let gone = WorkerRow.following(second, [], seconds: 2)
        #expect(gone == [WorkerRow(stage: "eta")])
        let back = WorkerRow.following(gone, WorkerRow.rows(of: [page(records: 50)]), seconds: 2)
        #expect(back.map(\.recordsPerSecond) == [nil])
    }

    @Test("the address of an endpoint must have a host and a port")
    func endpoints() throws {
        let endpoint = try HTTPEndpoint("http://127.0.0.1:9101/metrics")
        #expect(endpoint.host == "127.0.0.1" && endpoint.port == "9101")
        for text in ["", "http://x", "localhost", "http://x:port", ":80"] {
            #expect(throws: InputError.self) { try HTTPEndpoint(text) }
        }
    }
}
