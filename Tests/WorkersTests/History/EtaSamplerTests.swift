import Testing

@testable import HistoryWorker
@testable import Support

@Suite("Eta sampler")
struct EtaSamplerTests {
    private static func at(_ second: Double) -> Timestamp { Timestamp(milliseconds: Int64(second * 1000)) }

    private func windows(_ seconds: [Double]) -> [Bool] {
        var sampler = EtaSampler(windowMilliseconds: 30_000)
        return seconds.map { second in
            ByteSlice.withBytes(of: "tr_1") { sampler.beginsWindow(trip: $0, at: Self.at(second)) }
        }
    }

    @Test("one record begins each window, the first included; windows are multiples of 30 s")
    func oncePerWindow() {
        #expect(windows([5, 29.999, 30, 31, 59.999, 60, 200]) == [true, false, true, false, false, true, true])
    }

    @Test("time that goes back begins no window")
    func backwards() {
        #expect(windows([100, 50, 89.9, 119.9, 120]) == [true, false, false, false, true])
    }

    @Test("times before 1970 fall into windows of the same length")
    func negative() {
        #expect(windows([-30.001, -30, -0.001, 0]) == [true, true, false, true])
    }

    @Test("trips do not share windows, and asking begins none")
    func independent() {
        let sampler = Box()
        #expect(sampler.wants("tr_1", 0))
        #expect(sampler.wants("tr_1", 0))
        #expect(sampler.beginsWindow("tr_1", 0))
        #expect(!sampler.wants("tr_1", 1))
        #expect(sampler.beginsWindow("tr_2", 1))
    }

    @Test("each passed stop is new once, and what history knows is not new")
    func passedStops() {
        let sampler = Box()
        ByteSlice.withBytes(of: "tr_1") {
            sampler.sampler.remember($0, lastSample: Self.at(10), passedStops: 2)
        }
        #expect(!sampler.wants("tr_1", 29))
        #expect(!sampler.isNewlyPassed("tr_1", 1))
        #expect(sampler.isNewlyPassed("tr_1", 2))
        #expect(!sampler.isNewlyPassed("tr_1", 2))
        sampler.sampler.forgetAll()
        #expect(sampler.wants("tr_1", 29))
    }

    /// The sampler behind a reference, as what cannot be copied cannot stand in an expectation.
    private final class Box {
        var sampler = EtaSampler(windowMilliseconds: 30_000)

        func wants(_ trip: String, _ second: Double) -> Bool {
            ByteSlice.withBytes(of: trip) { sampler.wants(trip: $0, at: EtaSamplerTests.at(second)) }
        }

        func beginsWindow(_ trip: String, _ second: Double) -> Bool {
            ByteSlice.withBytes(of: trip) { sampler.beginsWindow(trip: $0, at: EtaSamplerTests.at(second)) }
        }

        func isNewlyPassed(_ trip: String, _ stop: Int) -> Bool {
            ByteSlice.withBytes(of: trip) { sampler.isNewlyPassed(trip: $0, stop: stop) }
        }
    }
}
