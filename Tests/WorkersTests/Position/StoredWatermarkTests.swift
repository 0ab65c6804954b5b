import Testing

@testable import Domain
@testable import PositionWorker

@Suite("Stored watermarks")
struct StoredWatermarkTests {
    @Test(
        "a watermark is parsed as it was written",
        arguments: ["0 - -", "184468 3-184467 -", "512 - t3-511", "7 3-184467.7+2/1 t0-0/255"])
    func roundTrip(text: String) throws {
        #expect(try #require(StoredWatermark(text)).text == text)
    }

    @Test(
        "malformed watermarks are rejected",
        arguments: [
            "", "1", "1 -", "1 - - -", "-1 - -", "x - -", "1 t3-1 -", "1 - 3-1", "1 3-1 x", "1  -", "1 3-1 t3-1 ",
            "99999999999999999999 - -",
        ])
    func refusals(text: String) {
        #expect(StoredWatermark(text) == nil)
    }

    @Test("an unwritten partition starts at 0, before any event")
    func start() {
        #expect(StoredWatermark.start.text == "0 - -")
    }
}
