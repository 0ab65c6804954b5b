/// Size limits of raw records.
package struct RawLimits: Sendable {
    /// Bytes of a record with a single fix.
    package var singleBytes = 64 * 1024
    /// Bytes of a batch upload: 500 fixes of 2 KiB, which is also Kafka's default limit for a record.
    package var batchBytes = 1024 * 1024
    /// Fixes in a batch upload.
    package var batchFixes = 500

    package init() {}

    /// Returns one sentence per invalid limit.
    package func problems() -> [String] {
        var problems: [String] = []
        if singleBytes < 1 { problems.append("singleBytes must be at least 1.") }
        if batchBytes < singleBytes { problems.append("batchBytes must be at least singleBytes.") }
        // An event id has room for 65,534 fixes of one record.
        if !(1...65_000).contains(batchFixes) { problems.append("batchFixes must be between 1 and 65,000.") }
        return problems
    }
}
