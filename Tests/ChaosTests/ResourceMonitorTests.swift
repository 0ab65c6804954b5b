import Testing

@testable import Chaos

@Suite("Memory and descriptors over time")
struct ResourceMonitorTests {
    private func samples(
        minutes: Int, _ mebibytes: (Double) -> Double, descriptors: (Double) -> Double = { _ in 40 }
    ) -> [ResourceMonitor.Sample] {
        (0...minutes).map { minute in
            ResourceMonitor.Sample(
                minutes: Double(minute), mebibytes: mebibytes(Double(minute)), descriptors: descriptors(Double(minute)))
        }
    }

    @Test(
        "a line of a little less than half a MiB a minute is flat, one of a little more is not",
        arguments: [0.49, 0.51])
    func slope(perMinute: Double) throws {
        let verdict = try #require(
            ResourceMonitor.judge(samples(minutes: 20) { 50 + $0 * perMinute }, of: "a worker", leastMinutes: 5))
        #expect(abs(verdict.mebibytesPerMinute - perMinute) < 1e-9)
        #expect(verdict.isFlat == (perMinute < 0.5))
    }

    @Test("six more descriptors are flat, seven are not", arguments: [6.0, 7.0])
    func descriptors(growth: Double) throws {
        let all = samples(minutes: 20, { _ in 50 }, descriptors: { $0 < 10 ? 40 : 40 + growth })
        let verdict = try #require(ResourceMonitor.judge(all, of: "a worker", leastMinutes: 5))
        #expect(verdict.descriptorGrowth == growth)
        #expect(verdict.isFlat == (growth <= 6))
    }

    @Test("a life shorter than the least is not judged, one as long is", arguments: [9, 10])
    func shortLives(minutes: Int) {
        let verdict = ResourceMonitor.judge(samples(minutes: minutes) { _ in 50 }, of: "a worker", leastMinutes: 10)
        #expect((verdict != nil) == (minutes >= 10))
    }
}
