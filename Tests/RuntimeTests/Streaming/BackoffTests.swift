import Testing

@testable import Runtime

@Suite("Backoff")
struct BackoffTests {
    @Test("waits double up to the longest wait, and each wait is shortened randomly by up to half")
    func doubling() {
        for _ in 0..<200 {
            var backoff = Backoff(shortest: .milliseconds(100), longest: .milliseconds(1000))
            for full in [100.0, 200, 400, 800, 1000, 1000] {
                let milliseconds = backoff.next() / .milliseconds(1)
                #expect((full / 2 - 1...full + 1).contains(milliseconds))
            }
        }
    }

    @Test("after many attempts the wait stays bounded, and after a reset the next wait is the shortest")
    func bounds() {
        var backoff = Backoff()
        for _ in 0..<100 { #expect(backoff.next() <= .seconds(5)) }
        backoff.reset()
        #expect(backoff.next() <= .milliseconds(100))
    }
}
