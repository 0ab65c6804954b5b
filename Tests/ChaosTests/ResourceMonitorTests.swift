import ChildProcesses
import Foundation
import Runtime
import TestSupport
import Testing

@testable import Chaos

@Suite("Resource monitor", .blocking, .timeLimit(.minutes(1)))
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
        "memory growth counts as flat below half a MiB a minute, and not above",
        arguments: [0.49, 0.51])
    func slope(perMinute: Double) throws {
        let trend = try #require(
            ResourceMonitor.trend(samples(minutes: 20) { 50 + $0 * perMinute }, of: "a worker", minimumMinutes: 5))
        #expect(abs(trend.mebibytesPerMinute - perMinute) < 1e-9)
        #expect(trend.isFlat == (perMinute < 0.5))
    }

    @Test("growth by six descriptors counts as flat, and growth by seven does not", arguments: [6.0, 7.0])
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

    @Test("memory, processor time and descriptors of a process are read, even if its name contains brackets")
    func figures() throws {
        let link = FileManager.default.temporaryDirectory.appendingPathComponent("a) (\(getpid())")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "/bin/sh")
        defer { try? FileManager.default.removeItem(at: link) }
        let process = try ChildProcess(link.path, ["-c", "sleep 300; :"])
        let metrics = ProcessMetrics(of: process.id)
        #expect(try #require(metrics.residentBytes) > 0 && metrics.processorSeconds != nil)
        #expect(try #require(metrics.openFileDescriptors) >= 3)
        process.end()
        #expect(metrics.residentBytes == nil && metrics.processorSeconds == nil && metrics.openFileDescriptors == nil)
    }
}
