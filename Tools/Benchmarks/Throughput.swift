import ChildProcesses
import Foundation
import Recordings
import Runtime
import SightlineCLI

/// A worker as a child process, observed through its HTTP endpoint.
final class MeasuredWorker {
    let name: String
    private let process: ChildProcess
    private let endpoint: HTTPEndpoint
    private let logPath: String
    private let stopSignal: StopSignal

    /// Starts a worker from the folder of this program.
    ///
    /// `environment` overrides variables of this process; `core` pins the worker to one processor core.
    /// - Throws: ``InputError`` or `ChildProcessError` if the worker does not start.
    init(
        _ name: String, environment: [String: String], core: Int? = nil, folder: String, stop: StopSignal
    ) throws {
        self.name = name
        stopSignal = stop
        let port = try FreePort.find()
        endpoint = try HTTPEndpoint("http://127.0.0.1:\(port)")
        logPath = "\(folder)/\(name)-\(port).log"
        var merged = ProcessInfo.processInfo.environment
        merged["SIGHTLINE_HTTP_HOST"] = "127.0.0.1"
        merged["SIGHTLINE_HTTP_PORT"] = String(port)
        merged["LOG_FORMAT"] = "json"
        merged.merge(environment) { _, new in new }
        let words = (core.map { ["taskset", "--cpu-list", String($0)] } ?? []) + [try BenchTool.program(name)]
        process = try ChildProcess(
            words[0], Array(words.dropFirst()), environment: merged, output: .file(logPath))
    }

    var id: Int32 { process.id }

    /// Returns the worker's metrics; `nil` if the worker does not respond.
    /// - Throws: ``InputError`` with the last log line if the worker has ended, and an error after a request to stop.
    func metrics() throws -> MetricsSnapshot? {
        try stopSignal.check()
        if let ending = process.ending {
            let log = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
            throw InputError("\(name) ended with \(ending): \(log.split(separator: "\n").last ?? "no log")")
        }
        return try endpoint.get("/metrics").map { try MetricsSnapshot(parsing: $0) }
    }

    /// Waits until the worker has at least `partitions` partitions.
    func waitForPartitions(_ partitions: Int, deadline: ContinuousClock.Instant) throws {
        while try metrics()?.sum("sightline_partitions_assigned") ?? 0 < Double(partitions) {
            guard ContinuousClock.now < deadline else {
                throw InputError("\(name) was not assigned \(partitions) partitions in time.")
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    func kill() { process.end() }

    func suspend() { process.send(SIGSTOP) }

    func resume() { process.send(SIGCONT) }

    /// Sends SIGTERM, and SIGKILL after 25 s.
    func stop() {
        process.send(SIGTERM)
        let deadline = ContinuousClock.now + .seconds(25)
        while process.isRunning, ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: 0.02) }
        process.end()
    }
}

/// Rate at which workers process a backlog, with processor time, memory and allocations.
struct Throughput {
    var ratePerSecond: Double
    /// Processor time in µs.
    var cpuMicrosecondsPerRecord: Double
    /// Resident memory at the end.
    var residentBytes: Double
    /// `nil` if allocations were not counted.
    var allocationsPerRecord: Double?

    /// Measures the workers up to 97 % of the backlog's `count` records, and waits until they have processed the rest.
    ///
    /// `labels` select the counted records. `allocationFile`: file with the count of the preloaded library.
    /// - Throws: ``InputError`` if a worker ends, or makes no progress for 30 s.
    static func measure(
        _ workers: [MeasuredWorker], labels: [String: String] = [:], count: Int, allocationFile: String? = nil
    ) throws -> Throughput {
        var window = MeasuredWindow<Reading>(count: count)
        var measured: Throughput?
        var last = 0.0
        var progressAt = ContinuousClock.now
        while true {
            Thread.sleep(forTimeInterval: 0.05)
            guard let reading = try Reading(workers, labels, allocationFile) else { continue }
            if reading.records > last { progressAt = .now }
            last = reading.records
            if measured == nil, let (begin, end) = window.add(reading, records: reading.records) {
                measured = Throughput(from: begin, to: end)
            }
            let idle = progressAt.duration(to: .now)
            // The next worker processes the outputs of the whole backlog. Its own count allows for missing ones.
            if let measured, reading.records >= Double(count) || idle > .seconds(2) { return measured }
            if idle > .seconds(30) {
                let name = workers.first?.name ?? "the worker"
                throw InputError("\(name) made no progress for 30 s, at \(Int(reading.records)) of \(count) records.")
            }
        }
    }

    private struct Reading {
        var at: ContinuousClock.Instant
        var records = 0.0
        var cpuSeconds = 0.0
        var residentBytes = 0.0
        var allocations: UInt64?

        init?(_ workers: [MeasuredWorker], _ labels: [String: String], _ allocationFile: String?) throws {
            at = .now
            for worker in workers {
                at = .now
                guard let metrics = try worker.metrics() else { return nil }
                records += metrics.sum("sightline_records_in_total", where: labels)
                cpuSeconds += metrics.sum("process_cpu_seconds_total")
                residentBytes += metrics.sum("process_resident_memory_bytes")
            }
            allocations = allocationFile.flatMap(Self.count)
        }

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
