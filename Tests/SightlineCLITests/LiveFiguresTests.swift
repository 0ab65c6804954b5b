import Recordings
import Testing

@testable import SightlineCLI

@Suite("Figures while a run goes on")
struct LiveFiguresTests {
    @Test("percentiles are the smallest time that so many do not exceed")
    func percentiles() {
        var histogram = LatencyHistogram()
        #expect(histogram.percentile(0.5) == nil)
        for milliseconds in Int64(1)...100 { histogram.note(milliseconds: milliseconds) }
        #expect(histogram.percentile(0.5) == 50 && histogram.percentile(0.99) == 99 && histogram.percentile(1) == 100)
        histogram.note(milliseconds: -5)
        histogram.note(milliseconds: .max)
        #expect(histogram.percentile(0) == 0 && histogram.percentile(1) == 60_000)
    }

    @Test("lags are summed by stage from a page of metrics")
    func lags() {
        let page = """
            # HELP sightline_lag_records Records of a held partition that are not processed yet.
            # TYPE sightline_lag_records gauge
            sightline_lag_records{stage="eta",topic="trips",partition="0"} 3
            sightline_lag_records{partition="1",stage="eta",topic="trips"} 4.0
            sightline_lag_records{stage="history",topic="trip.etas",partition="0"} 0
            sightline_partitions_assigned{stage="eta"} 6
            """
        #expect(MetricsProbe.lags(in: page) == ["eta": 7, "history": 0])
        #expect(MetricsProbe.lags(in: "").isEmpty)
    }

    @Test("an endpoint's address has a host and a port")
    func endpoints() throws {
        let endpoint = try HTTPEndpoint("http://127.0.0.1:9101/metrics")
        #expect(endpoint.host == "127.0.0.1" && endpoint.port == "9101")
        for text in ["", "http://x", "localhost", "http://x:port", ":80"] {
            #expect(throws: InputError.self) { try HTTPEndpoint(text) }
        }
    }
}
