extension SeedRun {
    /// Outcome of one simulation.
    struct Result: CustomStringConvertible {
        var violations: [String] = []
        /// Hash of everything that happened.
        var digest: UInt64 = 0
        /// Number of records that the fleet sent.
        var records = 0
        var virtualSeconds = 0.0

        var description: String {
            violations.isEmpty ? "No violations. Digest \(digest)." : violations.joined(separator: "\n")
        }
    }
}

// The line of a result, for the parent process.
extension SeedRun.Result {
    private static let separator = "\u{1e}"
    private static let newline = "\u{1f}"

    var line: String {
        let texts = violations.map { $0.split(separator: "\n").joined(separator: Self.newline) }
        return "\(digest) \(records) \(virtualSeconds) \(texts.joined(separator: Self.separator))"
    }

    /// Parses a seed and its ``line``; `nil` for other lines.
    static func parse(_ line: Substring) -> (seed: UInt64, result: SeedRun.Result)? {
        let parts = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, let seed = UInt64(parts[0]), let digest = UInt64(parts[1]),
            let records = Int(parts[2]), let seconds = Double(parts[3])
        else { return nil }
        let violations = parts[4].split(separator: separator)
            .map { $0.split(separator: newline).joined(separator: "\n") }
        return (seed, Self(violations: violations, digest: digest, records: records, virtualSeconds: seconds))
    }
}
