/// How much of the partitions that are worked on is with the producer, so that it takes no more than it should.
///
/// A parked partition is not counted: what it has with the producer may stay there for long, and would take the others'
/// place.
struct UnacknowledgedOutputs {
    let maximumRecords: Int
    let maximumBytes: Int
    private(set) var records = 0
    private(set) var bytes = 0

    init(maximumRecords: Int, maximumBytes: Int) {
        self.maximumRecords = maximumRecords
        self.maximumBytes = maximumBytes
    }

    /// Whether another output may be given to the producer.
    @inline(__always)
    var hasRoom: Bool { records < maximumRecords && bytes < maximumBytes }

    @inline(__always)
    mutating func add(records: Int, bytes: Int) {
        self.records += records
        self.bytes += bytes
    }

    @inline(__always)
    mutating func remove(records: Int, bytes: Int) {
        self.records -= records
        self.bytes -= bytes
    }

    mutating func removeAll() { (records, bytes) = (0, 0) }
}
