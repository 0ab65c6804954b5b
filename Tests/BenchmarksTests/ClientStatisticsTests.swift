import Testing

@testable import Benchmarks

@Suite("Statistics of the client library")
struct ClientStatisticsTests {
    @Test("received bytes are the sum over all brokers, without the bytes of topics")
    func sum() throws {
        let json = """
            {"name": "rdkafka#consumer-1", "rx_bytes": 7, "brokers": {
              "127.0.0.1:9092/1": {"rxbytes": 1200, "txbytes": 50, "toppars": {}},
              "127.0.0.1:9092/bootstrap": {"rxbytes": 34, "txbytes": 60}
            }, "topics": {"driver.locations": {"partitions": {"0": {"rxbytes": 5000}}}}}
            """
        #expect(try ClientStatistics(json: json).receivedBytes == 1234)
    }

    @Test("statistics without brokers are an error")
    func none() {
        #expect(throws: (any Error).self) { try ClientStatistics(json: "{}") }
    }
}
