import Glibc
import Processing

/// Metrics of a process, read from `/proc` at each access (the start time once); absent without `/proc`.
package struct ProcessMetrics: Sendable {
    private let folder: String
    private let startTimeSeconds: Double?

    /// Reads metrics of the process with this id; by default, of the current process.
    package init(of id: Int32? = nil) {
        folder = "/proc/\(id.map(String.init) ?? "self")"
        startTimeSeconds = Self.readStartTimeSeconds(folder)
    }

    func sample() -> [MetricDefinition: Double] {
        var samples: [MetricDefinition: Double] = [:]
        samples[.residentMemory] = residentBytes
        samples[.openFileDescriptors] = openFileDescriptors
        samples[.processorSeconds] = processorSeconds
        samples[.startTime] = startTimeSeconds
        return samples
    }

    package var residentBytes: Double? {
        guard let statm = Self.contents(of: "\(folder)/statm") else { return nil }
        // Field 2 of proc(5) statm: resident pages.
        let fields = statm.split(separator: " ")
        guard fields.count > 1, let pages = Double(fields[1]) else { return nil }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    package var openFileDescriptors: Double? {
        guard let listing = opendir("\(folder)/fd") else { return nil }
        defer { closedir(listing) }
        var count = 0
        while readdir(listing) != nil { count += 1 }
        // Excludes ".", "..", and this process's descriptor of the listing.
        return Double(max(count - (folder == "/proc/self" ? 3 : 2), 0))
    }

    /// Processor time of all threads, user and system.
    package var processorSeconds: Double? {
        // Fields 14 and 15 of proc(5) stat, in ticks.
        guard let fields = Self.statFields(folder), let user = Double(fields[11]), let system = Double(fields[12])
        else {
            return nil
        }
        return (user + system) / Self.ticksPerSecond
    }

    private static func readStartTimeSeconds(_ folder: String) -> Double? {
        // Field 22 of proc(5) stat: ticks from boot to the start of the process.
        guard let fields = statFields(folder), let ticks = Double(fields[19]), let stat = contents(of: "/proc/stat"),
            let line = stat.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let bootSeconds = Double(line.dropFirst(6))
        else { return nil }
        return bootSeconds + ticks / ticksPerSecond
    }

    private static var ticksPerSecond: Double { Double(sysconf(Int32(_SC_CLK_TCK))) }

    /// Fields of the file `stat` from the third on; the second, the name, may contain spaces and brackets.
    private static func statFields(_ folder: String) -> [Substring]? {
        guard let stat = contents(of: "\(folder)/stat"), let bracket = stat.lastIndex(of: ")") else { return nil }
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
