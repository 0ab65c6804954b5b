import Foundation
import Recordings

/// How fast a worker got through what waited for it.
struct Throughput {
    /// Records per second between a tenth and nearly all of them.
    var ratePerSecond: Double
    /// Processor time of the process in between, in µs per record.
    var cpuMicrosecondsPerRecord: Double
    /// Resident memory at the end, in bytes.
    var residentBytes: Double
    /// Memory taken from the heap in between, in calls per record; `nil` unless it was counted.
    var allocationsPerRecord: Double?

    /// Where the measuring begins and ends, as shares of the records: joining and restoring is before.
    private static let measured = 0.1...0.97

    /// Watches workers until they have taken in `count` records in all.
    /// - Throws: ``InputError`` when one ends, or nothing moves for `patienceSeconds`.
    static func watch(
        _ workers: [MeasuredWorker], counter: String, labels: [String: String] = [:], count: Int,
        allocationFile: String? = nil,
        patienceSeconds: Double = 30
    ) throws -> Throughput {
        var begin: Reading?
        var last: Reading?
        var movedAt = ContinuousClock.now
        while true {
            Thread.sleep(forTimeInterval: 0.05)
            guard let reading = try Reading(workers, counter, labels, allocationFile) else { continue }
            if reading.records > last?.records ?? 0 { movedAt = .now }
            if reading.records >= Double(count) * measured.lowerBound, begin == nil { begin = reading }
            last = reading
            if let begin, reading.records >= Double(count) * measured.upperBound, reading.records > begin.records {
                return Throughput(from: begin, to: reading)
            }
            if movedAt.duration(to: .now) / .seconds(1) > patienceSeconds {
                let name = workers.first?.name ?? "the worker"
                throw InputError("\(name) stands still after \(Int(reading.records)) of \(count) records.")
            }
        }
    }

    private struct Reading {
        var at: ContinuousClock.Instant
        var records = 0.0
        var cpuSeconds = 0.0
        var residentBytes = 0.0
        var allocations: UInt64?

        init?(_ workers: [MeasuredWorker], _ counter: String, _ labels: [String: String], _ allocationFile: String?)
            throws
        {
            at = .now
            for worker in workers {
                guard let sample = try worker.sample() else { return nil }
                at = sample.at
                records += sample.metrics.sum(counter, where: labels)
                cpuSeconds += sample.metrics.sum("process_cpu_seconds_total")
                residentBytes += sample.metrics.sum("process_resident_memory_bytes")
            }
            allocations = allocationFile.flatMap(Self.count)
        }

        /// The counter that the preloaded library keeps.
        private static func count(in path: String) -> UInt64? {
            guard let data = FileManager.default.contents(atPath: path), data.count >= 8 else { return nil }
            return data.prefix(8).enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << (8 * UInt64($1.offset)) }
        }
    }

    private init(from begin: Reading, to end: Reading) {
        let records = end.records - begin.records
        let seconds = begin.at.duration(to: end.at) / .seconds(1)
        ratePerSecond = records / max(seconds, 1e-9)
        cpuMicrosecondsPerRecord = (end.cpuSeconds - begin.cpuSeconds) * 1e6 / records
        residentBytes = end.residentBytes
        if let first = begin.allocations, let last = end.allocations {
            allocationsPerRecord = Double(last - first) / records
        }
    }
}
