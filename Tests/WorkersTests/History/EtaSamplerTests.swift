import Testing

@testable import HistoryWorker
@testable import Support

@Suite("Eta sampler")
struct EtaSamplerTests {
    private static func at(_ second: Double) -> Timestamp { Timestamp(milliseconds: Int64(second * 1000)) }

    private func windows(_ seconds: [Double]) -> [Bool] {
        let sampler = Box()
        return seconds.map { sampler.sample("tr_1", $0) }
    }

    @Test("one record is sampled per window; windows begin at multiples of 30 s")
    func oncePerWindow() {
        #expect(windows([5, 29.999, 30, 31, 59.999, 60, 200]) == [true, false, true, false, false, true, true])
    }

    @Test("a time before the current window begins no window")
    func backwards() {
        #expect(windows([100, 50, 89.9, 119.9, 120]) == [true, false, false, false, true])
    }

    @Test("windows before 1970 have the same length")
    func negative() {
        #expect(windows([-30.001, -30, -0.001, 0]) == [true, true, false, true])
    }

    @Test("each trip has its own windows, and `startsWindow` does not start a window")
    func independent() {
        let sampler = Box()
        #expect(sampler.startsWindow("tr_1", 0))
        #expect(sampler.startsWindow("tr_1", 0))
        #expect(sampler.sample("tr_1", 0))
        #expect(!sampler.startsWindow("tr_1", 1))
        #expect(sampler.sample("tr_2", 1))
    }

    @Test("each passed stop is new once, unless it was restored as passed")
    func passedStops() {
        let sampler = Box()
        ByteSlice.withBytes(of: "tr_1") {
            sampler.sampler.restore($0, lastSample: Self.at(10), passedStops: 2)
        }
        #expect(!sampler.startsWindow("tr_1", 29))
        #expect(!sampler.isNewlyPassed("tr_1", 1))
        #expect(sampler.isNewlyPassed("tr_1", 2))
        #expect(!sampler.isNewlyPassed("tr_1", 2))
        sampler.sampler.removeAll()
        #expect(sampler.startsWindow("tr_1", 29))
    }

    /// Reference to a sampler, because `#expect` cannot capture a noncopyable value.
    private final class Box {
        var sampler = EtaSampler(windowMilliseconds: 30_000)

        func startsWindow(_ trip: String, _ second: Double) -> Bool {
            ByteSlice.withBytes(of: trip) { sampler.startsWindow(trip: $0, at: EtaSamplerTests.at(second)) }
        }

        /// Starts a window if the time is in a new one; returns whether it is.
        func sample(_ trip: String, _ second: Double) -> Bool {
            guard startsWindow(trip, second) else { return false }
            ByteSlice.withBytes(of: trip) { sampler.startWindow(trip: $0, at: EtaSamplerTests.at(second)) }
            return true
        }

        func isNewlyPassed(_ trip: String, _ stop: Int) -> Bool {
            ByteSlice.withBytes(of: trip) { sampler.isNewlyPassed(trip: $0, stop: stop) }
        }
    }
}
