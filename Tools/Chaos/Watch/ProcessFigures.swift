import Foundation

/// What the system says of a process: memory and file descriptors.
struct ProcessFigures {
    var residentKibibytes: Int
    var fileDescriptors: Int

    /// `nil` when there is no such process.
    init?(of id: Int32) {
        guard let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }),
            let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd")
        else { return nil }
        residentKibibytes = kibibytes
        fileDescriptors = descriptors.count
    }
}
