/// How much of one raw record is read.
package struct RawLimits: Sendable {
    /// Bytes of a record with a single fix.
    package var singleBytes = 64 * 1024
    /// Bytes of a batch upload: 500 fixes of 2 KiB.
    ///
    /// Kafka's own default limit for a record is the same size.
    package var batchBytes = 1024 * 1024
    /// Fixes in a batch upload.
    package var batchFixes = 500

    package init() {}

    /// What is wrong with the limits, empty when nothing is.
    package func problems() -> [String] {
        var problems: [String] = []
        if singleBytes < 1 { problems.append("A single record may be at least one byte long.") }
        if batchBytes < singleBytes { problems.append("A batch may be at least as large as a single record.") }
        // An event id has room for 65,534 fixes of one record.
        if !(1...65_000).contains(batchFixes) { problems.append("A batch holds 1 to 65,000 fixes.") }
        return problems
    }
}
