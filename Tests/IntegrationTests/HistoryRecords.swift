import Codec
import Domain
import Foundation
import Processing
import Support

/// Records of one partition as the history sink gets them, in memory that lives as long as this does.
final class HistoryRecords {
    let partition: SinkPartition
    private(set) var records: [InputRecord] = []
    private var memory: [UnsafeMutableRawBufferPointer] = []
    /// Receipt time of the first record, ten minutes ago; each later one comes a second after unless told otherwise.
    let start = Int64(Date().timeIntervalSince1970) / 60 * 60_000 - 600_000

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
    ///
    /// `report`: members that follow those of `raw` and of the record, each with a comma in front.
    func addVerdict(
        of driver: String, verdict: String = "accepted", reasons: [String] = [], latitude: Double = 37.775,
        longitude: Double = -122.418, trip: String? = nil, event: Int64? = nil, receivedAt: Int64? = nil,
        isJudged: Bool? = nil, report: (raw: String, own: String) = ("", ""), hasClock: Bool = true,
        signals: [String] = []
    ) {
        let received = receivedAt ?? start + next * 1000
        let id = EventID(partition: partition.partition, offset: event ?? next)
        let estimate =
            !(isJudged ?? (verdict == "accepted"))
            ? ""
            : "\"latitude\":\(latitude),\"longitude\":\(longitude),\"heading\":44.5,\"speed_mps\":12.25,"
                + "\"accuracy_meters\":3.5,\"confidence\":\"HIGH\",\"is_halted\":false,"
        let codes = reasons.map { "\"\($0)\"" }.joined(separator: ",")
        let signalField =
            signals.isEmpty
            ? "" : "\"risk_signals\":[\(signals.map { "\"\($0)\"" }.joined(separator: ","))],"
        let tripField = trip.map { "\"trip_id\":\"\($0)\"," } ?? ""
        add(
            key: driver, event: hasClock ? id : nil, timestamp: received,
            value: """
                {"event_id":"\(id)","driver_id":"\(driver)","session_id":"s1","sequence":\(1000 + next),\(tripField)\
                "verdict":"\(verdict)","reasons":[\(codes)],"risk":0.25,\(signalField)\(estimate)\
                "raw":{"latitude":\(latitude),"longitude":\(longitude),"accuracy_meters":5.5,"heading":45,"speed_mps":12.5\(report.raw)},\
                "device_at":\(received - 300),"fixed_at":\(received - 200),"received_at":\(received)\(report.own)}
                """)
    }

    /// Adds a warning; several of one event are told apart by `message`.
    func addWarning(of driver: String, _ warning: LocationWarning, event: Int64? = nil, message: Int = 0) {
        let id = EventID(partition: partition.partition, offset: event ?? next).withMessage(message)
        let at = Timestamp(milliseconds: start + next * 1000)
        var writer = ByteWriter()
        ByteSlice.withBytes(of: driver) {
            WarningWriter.write(event: id, driverID: $0, warning: warning, risk: 0.75, at: at, into: &writer)
        }
        add(key: driver, event: id, timestamp: at.milliseconds, value: writer.bytes.string)
    }

    /// Adds a trip record; the event is the record's offset of `origin` unless given.
    func addEta(_ eta: TripEta, origin: EventID.Origin = .raw, event: Int64? = nil) {
        let id = EventID(origin: origin, partition: partition.partition, offset: event ?? next)
        var writer = ByteWriter()
        TripEtaWriter.write(event: id, eta: eta, into: &writer)
        add(key: eta.tripID, event: id, timestamp: eta.computedAt.milliseconds, value: writer.bytes.string)
    }

    /// Adds a warning about a trip, of the record's own event.
    func addTripWarning(_ warning: TripWarning, of trip: String = "tr_1", by driver: String = "drv_1") {
        let id = EventID(partition: partition.partition, offset: next)
        let at = Timestamp(milliseconds: start + next * 1000)
        var writer = ByteWriter()
        ByteSlice.withBytes(of: trip) { trip in
            ByteSlice.withBytes(of: driver) {
                TripWarningWriter.write(
                    event: id, tripID: trip, driverID: $0, warning: warning, at: at, into: &writer)
            }
        }
        add(key: trip, event: id, timestamp: at.milliseconds, value: writer.bytes.string)
    }

    /// Adds any bytes as a value.
    func add(key: String, event: EventID?, timestamp: Int64, value: String?, state: [UInt8] = []) {
        records.append(
            InputRecord(
                partition: partition.partition, offset: next, timestamp: Timestamp(milliseconds: timestamp),
                key: keep(key),
                value: value.map(keep), event: event, state: keep(state)))
    }

    /// Adds a record that is there already, at the next offset.
    func repeatRecord(at offset: Int64) {
        var record = records[Int(offset)]
        record.offset = next
        records.append(record)
    }

    private func keep(_ text: String) -> ByteSlice { keep(Array(text.utf8)) }

    private func keep(_ bytes: [UInt8]) -> ByteSlice {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
        block.copyBytes(from: bytes)
        memory.append(block)
        return ByteSlice(start: block.baseAddress, count: bytes.count)
    }
}
