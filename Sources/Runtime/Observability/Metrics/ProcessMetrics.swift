import Glibc
import Processing

/// Reads the process's metrics from `/proc` at each scrape; without `/proc` they are absent.
struct ProcessMetrics: Sendable {
    private let startTimeSeconds: Double?

    init() { startTimeSeconds = Self.readStartTimeSeconds() }

    func sample() -> [MetricDefinition: Double] {
        var samples: [MetricDefinition: Double] = [:]
        samples[.residentMemory] = Self.readResidentBytes()
        samples[.openFileDescriptors] = Self.countDescriptors()
        samples[.processorSeconds] = Self.readProcessorSeconds()
        samples[.startTime] = startTimeSeconds
        return samples
    }

    private static func readResidentBytes() -> Double? {
        guard let statm = contents(of: "/proc/self/statm") else { return nil }
        // Field 2 of proc(5) statm: resident pages.
        let fields = statm.split(separator: " ")
        guard fields.count > 1, let pages = Double(fields[1]) else { return nil }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func countDescriptors() -> Double? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Excludes ".", ".." and the descriptor of the listing.
        return Double(max(count - 3, 0))
    }

    private static func readProcessorSeconds() -> Double? {
        // Fields 14 and 15 of proc(5) stat, user and system time in ticks.
        guard let fields = statFields(), let user = Double(fields[11]), let system = Double(fields[12]) else {
            return nil
        }
        return (user + system) / ticksPerSecond
    }

    private static func readStartTimeSeconds() -> Double? {
        // Field 22 of proc(5) stat: ticks from boot to the start of the process.
        guard let fields = statFields(), let ticks = Double(fields[19]), let stat = contents(of: "/proc/stat"),
            let line = stat.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let bootSeconds = Double(line.dropFirst(6))
        else { return nil }
        return bootSeconds + ticks / ticksPerSecond
    }

    private static var ticksPerSecond: Double { Double(sysconf(Int32(_SC_CLK_TCK))) }

    /// Fields of `/proc/self/stat` from the third on; the second, the name, may contain spaces and brackets.
    private static func statFields() -> [Substring]? {
        guard let stat = contents(of: "/proc/self/stat"), let bracket = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: bracket)...].split(separator: " ")
        return fields.count > 19 ? fields : nil
    }

    private static func contents(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
