import Domain
import Processing
import Support

/// Records of one partition as a sink gets them, in memory that lives as long as this does.
final class PositionRecords {
    let partition: SinkPartition
    private(set) var records: [InputRecord] = []
    private var memory: [UnsafeMutableRawBufferPointer] = []
    /// Receipt time of the first record; each later one comes a second after.
    static let start: Int64 = 1_741_977_135_123

    init(_ topic: PipelineTopic, partition: Int32 = 0) {
        self.partition = SinkPartition(topic: topic.rawValue, partition: partition)
    }

    deinit { for block in memory { block.deallocate() } }

    /// The offset of the next record.
    var next: Int64 { Int64(records.count) }

    /// The records with the offsets from `from` up to, not including, `to`.
    func batch(from: Int64 = 0, to: Int64? = nil) -> PartitionBatch {
        let to = to ?? next
        return PartitionBatch(partition: partition, records: Array(records[Int(from)..<Int(to)]), from: from, to: to)
    }

    /// Adds a verdict; the event's offset is the record's unless given.
    func addVerdict(
        of driver: String, latitude: Double = 37.775, longitude: Double = -122.418, verdict: String = "accepted",
        heading: String = "44.6", trip: String? = nil, event: Int64? = nil, receivedAt: Int64? = nil,
        reasons: [String] = [], risk: Double = 0.02, isJudged: Bool? = nil, signals: [String] = []
    ) {
        let received = receivedAt ?? Self.start + next * 1000
        let id = EventID(partition: partition.partition, offset: event ?? next)
        let raw = "\"raw\":{\"latitude\":\(latitude),\"longitude\":\(longitude)}"
        let estimate =
            !(isJudged ?? (verdict == "accepted"))
            ? ""
            : "\"latitude\":\(latitude),\"longitude\":\(longitude),\"heading\":\(heading),\"speed_mps\":12.3,"
                + "\"accuracy_meters\":3.9,\"confidence\":\"HIGH\",\"is_halted\":false,"
        let codes = reasons.map { "\"\($0)\"" }.joined(separator: ",")
        let signalField =
            signals.isEmpty
            ? "" : "\"risk_signals\":[\(signals.map { "\"\($0)\"" }.joined(separator: ","))],"
        let tripField = trip.map { "\"trip_id\":\"\($0)\"," } ?? ""
        add(
            key: driver, event: id, timestamp: received,
            value: """
                {"event_id":"\(id)","driver_id":"\(driver)",\(tripField)"verdict":"\(verdict)","reasons":[\(codes)],\
                "risk":\(risk),\(signalField)\
                \(estimate)\(raw),"fixed_at":\(received - 200),"received_at":\(received)}
                """)
    }

    /// Adds a rider update.
    func addUpdate(_ type: String, channel: String, payload: String, event: EventID? = nil) {
        let id = event ?? EventID(partition: partition.partition, offset: next)
        add(
            key: channel, event: id, timestamp: Self.start + next * 1000,
            value: "{\"type\":\"\(type)\",\"event_id\":\"\(id)\",\"channel\":\"\(channel)\",\"payload\":\(payload)}")
    }

    /// Adds any bytes as a value.
    func add(key: String, event: EventID?, timestamp: Int64, value: String) {
        records.append(
            InputRecord(
                partition: partition.partition, offset: next, timestamp: Timestamp(milliseconds: timestamp),
                key: keep(key),
                value: keep(value), event: event))
    }

    private func keep(_ text: String) -> ByteSlice {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, text.utf8.count), alignment: 1)
        block.copyBytes(from: text.utf8)
        memory.append(block)
        return ByteSlice(start: block.baseAddress, count: text.utf8.count)
    }
}
