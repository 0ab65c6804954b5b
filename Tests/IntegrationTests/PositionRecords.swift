import Domain
import Processing
import Support

/// Records of one partition as input for the position sink.
final class PositionRecords: SinkRecords {
    /// Receipt time of the first record, in milliseconds; records follow every second.
    static let start: Int64 = 1_741_977_135_123

    /// Adds a verdict; `event` is the offset in its event id, by default the record's offset.
    func addVerdict(
        of driver: String, latitude: Double = 37.775, longitude: Double = -122.418, verdict: String = "accepted",
        heading: String = "44.6", trip: String? = nil, event: Int64? = nil, receivedAt: Int64? = nil,
        reasons: [String] = [], risk: Double = 0.02, hasEstimate: Bool? = nil, signals: [String] = []
    ) {
        let received = receivedAt ?? Self.start + next * 1000
        let id = EventID(partition: partition.partition, offset: event ?? next)
        let raw = "\"raw\":{\"latitude\":\(latitude),\"longitude\":\(longitude)}"
        let estimate =
            !(hasEstimate ?? (verdict == "accepted"))
            ? ""
            : "\"latitude\":\(latitude),\"longitude\":\(longitude),\"heading\":\(heading),\"speed_mps\":12.3,"
                + "\"accuracy_meters\":3.9,\"confidence\":\"HIGH\",\"is_halted\":false,"
        let tripField = trip.map { "\"trip_id\":\"\($0)\"," } ?? ""
        add(
            key: driver, event: id, timestamp: received,
            value: """
                {"event_id":"\(id)","driver_id":"\(driver)",\(tripField)"verdict":"\(verdict)",\
                "reasons":[\(Self.list(reasons))],"risk":\(risk),\(Self.signalMember(signals))\
                \(estimate)\(raw),"fixed_at":\(received - 200),"received_at":\(received)}
                """)
    }

    func addUpdate(_ type: String, channel: String, payload: String, event: EventID? = nil) {
        let id = event ?? EventID(partition: partition.partition, offset: next)
        add(
            key: channel, event: id, timestamp: Self.start + next * 1000,
            value: "{\"type\":\"\(type)\",\"event_id\":\"\(id)\",\"channel\":\"\(channel)\",\"payload\":\(payload)}")
    }
}
