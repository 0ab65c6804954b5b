/// Choice of the two readings of a backlog's progress between which its throughput is measured.
struct MeasuredWindow<Reading> {
    /// Measured share of the records; workers join the group and restore before its start.
    private static var share: ClosedRange<Double> { 0.1...0.97 }

    private let count: Int
    private var begin: (reading: Reading, records: Double)?
    private var last: (reading: Reading, records: Double)?

    /// `count`: number of records of the backlog.
    init(count: Int) { self.count = count }

    /// Adds a reading, at which `records` were processed.
    ///
    /// If a worker is so fast that one reading is before the share and the next after it, these two are returned.
    /// - Returns: the first and the last reading of the measured share; `nil` before its end.
    mutating func add(_ reading: Reading, records: Double) -> (begin: Reading, end: Reading)? {
        defer { last = (reading, records) }
        let isAtEnd = records >= Double(count) * Self.share.upperBound
        if begin == nil, records >= Double(count) * Self.share.lowerBound {
            begin = isAtEnd ? last : (reading, records)
        }
        guard isAtEnd, let begin, records > begin.records else { return nil }
        return (begin.reading, reading)
    }
}
