import Testing

@testable import Model
@testable import PositionWorker

@Suite("Stored clocks")
struct StoredWatermarkTests {
    @Test(
        "a clock is read back as it was written",
        arguments: ["0 - -", "184468 3-184467 -", "512 - t3-511", "7 3-184467.7+2/1 t0-0/255"])
    func roundTrip(text: String) throws {
        #expect(try #require(StoredWatermark(text)).text == text)
    }

    @Test(
        "what is no clock is not taken for one",
        arguments: [
            "", "1", "1 -", "1 - - -", "-1 - -", "x - -", "1 t3-1 -", "1 - 3-1", "1 3-1 x", "1  -", "1 3-1 t3-1 ",
            "99999999999999999999 - -",
        ])
    func refusals(text: String) {
        #expect(StoredWatermark(text) == nil)
    }

    @Test("a partition never written starts at 0, before any event")
    func start() {
        #expect(StoredWatermark.start.text == "0 - -")
    }
}
