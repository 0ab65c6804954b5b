import Testing

@testable import Benchmarks

@Suite("Measured share of a backlog")
struct MeasuredWindowTests {
    /// Adds readings, which are their own numbers of records, until the window returns two of them.
    private func window(_ readings: [Double], of count: Int) -> [Double]? {
        var window = MeasuredWindow<Double>(count: count)
        for reading in readings {
            if let (begin, end) = window.add(reading, records: reading) { return [begin, end] }
        }
        return nil
    }

    @Test("the throughput is measured from the first reading at 10 % to the first at 97 % of the records")
    func share() {
        #expect(window([0, 99, 100, 500, 969, 970, 1000], of: 1000) == [100, 970])
        #expect(window([0, 150, 969], of: 1000) == nil)
    }

    @Test("a worker that processes the whole share between two readings is measured between these")
    func fast() {
        #expect(window([0, 50, 1000], of: 1000) == [50, 1000])
        #expect(window([0, 0, 970], of: 1000) == [0, 970])
    }

    @Test("a first reading at the end has no other reading to compare with")
    func finished() {
        #expect(window([1000, 1000], of: 1000) == nil)
    }

    @Test("the share is that of the records which the topic has")
    func fewer() {
        #expect(window([0, 60, 580], of: 600) == nil)
        #expect(window([0, 60, 582], of: 600) == [60, 582])
    }
}
