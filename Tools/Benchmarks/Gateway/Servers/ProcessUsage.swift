import Foundation
import Recordings

/// What a process has used, as Linux tells it.
struct ProcessUsage: Equatable {
    var residentBytes: Double
    /// Processor time of all threads, user and system.
    var cpuSeconds: Double

    /// Of a process that runs.
    /// - Throws: ``InputError`` where there is none of this number.
    static func of(_ process: Int32) throws -> ProcessUsage {
        let texts = ["statm", "stat"].map { try? String(contentsOfFile: "/proc/\(process)/\($0)", encoding: .utf8) }
        guard let statm = texts[0], let stat = texts[1], let usage = ProcessUsage(statm: statm, stat: stat) else {
            throw InputError("/proc/\(process) cannot be read: the process has ended, or this is not Linux.")
        }
        return usage
    }

    /// Reads `/proc/PID/statm` and `/proc/PID/stat`; `nil` where they are not as proc(5) says.
    init?(
        statm: String, stat: String, pageBytes: Int = sysconf(Int32(_SC_PAGESIZE)),
        ticksPerSecond: Int = sysconf(Int32(_SC_CLK_TCK))
    ) {
        // The second field of stat, the program's name, may have spaces and brackets itself.
        guard let bracket = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: bracket)...].split(separator: " ")
        let pages = statm.split(separator: " ")
        guard pages.count > 1, fields.count > 12, let resident = Double(pages[1]), let user = Double(fields[11]),
            let system = Double(fields[12])
        else { return nil }
        residentBytes = resident * Double(pageBytes)
        cpuSeconds = (user + system) / Double(ticksPerSecond)
    }
}
