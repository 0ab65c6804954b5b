import Testing

@testable import Chaos

@Suite("Resource monitor")
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
        "memory growth of less than half a MiB a minute counts as flat, and more does not",
        arguments: [0.49, 0.51])
    func slope(perMinute: Double) throws {
        let trend = try #require(
            ResourceMonitor.trend(samples(minutes: 20) { 50 + $0 * perMinute }, of: "a worker", minimumMinutes: 5))
        #expect(abs(trend.mebibytesPerMinute - perMinute) < 1e-9)
        #expect(trend.isFlat == (perMinute < 0.5))
    }

    @Test("growth by six descriptors counts as flat, and by seven does not", arguments: [6.0, 7.0])
    func descriptors(growth: Double) throws {
        let all = samples(minutes: 20, { _ in 50 }, descriptors: { $0 < 10 ? 40 : 40 + growth })
        let trend = try #require(ResourceMonitor.trend(all, of: "a worker", minimumMinutes: 5))
        #expect(trend.descriptorGrowth == growth)
        #expect(trend.isFlat == (growth <= 6))
    }

    @Test("a process is evaluated only after the minimum time", arguments: [9, 10])
    func shortRuns(minutes: Int) {
        let trend = ResourceMonitor.trend(samples(minutes: minutes) { _ in 50 }, of: "a worker", minimumMinutes: 10)
        #expect((trend != nil) == (minutes >= 10))
    }
}
