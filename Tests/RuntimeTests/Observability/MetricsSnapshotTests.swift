import Testing

@testable import Runtime

@Suite("Metrics snapshot")
struct MetricsSnapshotTests {
    static let text = """
        # HELP sightline_records_in_total Records.
        # TYPE sightline_records_in_total counter
        sightline_records_in_total{stage="eta",topic="trips"} 7
        sightline_records_in_total{stage="eta",topic="driver.locations",} 35
        # just a comment

        up 1 1700000000000
        spaced { }   -2.5e3
        """

    @Test("series are selected by name and labels, and summed over unspecified labels")
    func lookups() throws {
        let snapshot = try MetricsSnapshot(parsing: Self.text)
        #expect(snapshot.samples.count == 4)
        #expect(snapshot.value("sightline_records_in_total", ["stage": "eta", "topic": "trips"]) == 7)
        #expect(snapshot.value("sightline_records_in_total", ["stage": "eta"]) == nil)
        #expect(snapshot.sum("sightline_records_in_total", where: ["stage": "eta"]) == 42)
        #expect(snapshot.sum("sightline_records_in_total", where: ["stage": "location"]) == 0)
        #expect(snapshot.value("up") == 1)
    }

    @Test(
        "a malformed line is reported with its number",
        arguments: ["9lives 1", "a{b=c} 1", "a{b=\"c} 1", "a{b=\"c\" d=\"e\"} 1", "a", "a x", "a 1 x"])
    func malformed(line: String) {
        #expect(throws: MetricsSnapshotError(line: 2, text: line)) {
            try MetricsSnapshot(parsing: "good 1\n\(line)\n")
        }
    }

    @Test("infinite and NaN values are parsed")
    func specialValues() throws {
        let snapshot = try MetricsSnapshot(parsing: "a +Inf\nb -Inf\nc NaN\n")
        #expect(snapshot.value("a") == .infinity)
        #expect(snapshot.value("b") == -.infinity)
        #expect(try #require(snapshot.value("c")).isNaN)
    }

    @Test("all series of a histogram are added up")
    func histogram() throws {
        let one = "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 4\nh_sum 9\nh_count 4\n"
        let snapshot = try MetricsSnapshot(parsing: one + one)
        let histogram = try #require(snapshot.histogram("h"))
        #expect(histogram == HistogramSnapshot(bounds: [1, .infinity], cumulativeCounts: [4, 8], sum: 18))
        #expect(snapshot.histogram("other") == nil)
    }
}
