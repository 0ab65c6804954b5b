import Testing

@testable import Gateways

@Suite("Memory of large bodies")
struct LargeBodyTests {
    @Test("the total size of concurrent large bodies is limited; small bodies do not count")
    func bounded() async {
        let bodies = LargeBodies(limit: 200_000)
        let small = LargeBodies.smallBytes
        let inside = await bodies.with(150_000) { () -> [Int?] in
            [
                await bodies.with(50_001) { 1 }, await bodies.with(small + 1) { 2 }, await bodies.with(small) { 3 },
                await bodies.with(0) { 4 },
            ]
        }
        #expect(inside == [1, nil, 3, 4])
        #expect(await bodies.with(200_000) { 5 } == 5)
        #expect(await bodies.with(200_001) { 6 } == nil)
    }
}
