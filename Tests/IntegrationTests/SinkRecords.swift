import Domain
import Processing
import Support

/// Input records of one partition, stored in memory that this object owns.
class SinkRecords {
    let partition: SinkPartition
    private(set) var records: [InputRecord] = []
    private var memory: [UnsafeMutableRawBufferPointer] = []

    init(_ topic: PipelineTopic, partition: Int32 = 0) {
        self.partition = SinkPartition(topic: topic.rawValue, partition: partition)
    }

    deinit { for block in memory { block.deallocate() } }

    /// Offset of the next record.
    final var next: Int64 { Int64(records.count) }

    /// Returns the records with offsets in `from..<to`.
    final func batch(from: Int64 = 0, to: Int64? = nil) -> PartitionBatch {
        let to = to ?? next
        return PartitionBatch(partition: partition, records: Array(records[Int(from)..<Int(to)]), from: from, to: to)
    }

    /// Adds a record at the next offset.
    final func add(key: String, event: EventID?, timestamp: Int64, value: String?, state: [UInt8] = []) {
        records.append(
            InputRecord(
                partition: partition.partition, offset: next, timestamp: Timestamp(milliseconds: timestamp),
                key: store(key.utf8), value: value.map { store($0.utf8) }, event: event, state: store(state)))
    }

    /// Adds a copy of an existing record at the next offset.
    final func repeatRecord(at offset: Int64) {
        var record = records[Int(offset)]
        record.offset = next
        records.append(record)
    }

    /// Returns the JSON member `"risk_signals":[…],`, or an empty text if there are no signals.
    static func signalMember(_ signals: [String]) -> String {
        signals.isEmpty ? "" : "\"risk_signals\":[\(list(signals))],"
    }

    /// Returns codes as the content of a JSON array.
    static func list(_ codes: [String]) -> String { codes.map { "\"\($0)\"" }.joined(separator: ",") }

    private func store(_ bytes: some Collection<UInt8>) -> ByteSlice {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
        block.copyBytes(from: bytes)
        memory.append(block)
        return ByteSlice(start: block.baseAddress, count: bytes.count)
    }
}
