import Testing

@testable import Domain
@testable import HistoryWorker
@testable import Support

@Suite("Fix sampler")
struct FixSamplerTests {
    /// Returns the indices of the stored fixes; `fixes` are times in milliseconds and metres north.
    private func kept(_ fixes: [(Int64, Double)], interval: Int64 = 0, meters: Double = 0) -> [Int] {
        var sampler = FixSampler(intervalMilliseconds: interval, distanceMeters: meters)
        return fixes.indices.filter { index in
            let north = fixes[index].1 / Geodesy.metersPerDegree
            return ByteSlice.withBytes(of: "drv_1") {
                sampler.keeps(
                    driver: $0, at: Timestamp(milliseconds: fixes[index].0),
                    coordinate: Coordinate(latitude: north, longitude: 0))
            }
        }
    }

    @Test("a fix is stored if at least the interval has passed since the last stored fix")
    func interval() {
        #expect(kept([(0, 0), (999, 50), (1000, 50), (1999, 90), (2001, 90)], interval: 1000) == [0, 2, 4])
    }

    @Test("distance is measured from the last stored fix, so slow movement is not lost")
    func distance() {
        #expect(kept([(0, 0), (1, 4), (2, 8), (3, 10.01), (4, 19), (5, 20.1)], meters: 10) == [0, 3, 5])
    }

    @Test("with a minimum interval and distance, a fix must reach both")
    func both() {
        #expect(kept([(0, 0), (500, 100), (1500, 5), (1600, 100)], interval: 1000, meters: 10) == [0, 3])
    }

    @Test("the first fix of a driver is stored, and a restored fix counts as the last stored one")
    func remembered() {
        var sampler = FixSampler(intervalMilliseconds: 1000, distanceMeters: 0)
        let here = Coordinate(latitude: 1, longitude: 1)
        let kept = ByteSlice.withBytes(of: "drv_1") { driver in
            sampler.restore(driver, FixSampler.Fix(at: Timestamp(milliseconds: 5000), coordinate: here))
            return [5999, 6000].map {
                sampler.keeps(driver: driver, at: Timestamp(milliseconds: $0), coordinate: here)
            }
        }
        #expect(kept == [false, true])
        let first = ByteSlice.withBytes(of: "drv_2") { driver in
            sampler.restore(driver, nil)
            return sampler.keeps(driver: driver, at: Timestamp(milliseconds: 0), coordinate: here)
        }
        #expect(first)
    }
}
