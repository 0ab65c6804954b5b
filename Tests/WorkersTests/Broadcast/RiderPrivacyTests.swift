import Processors
import Support
import Testing

@Suite("Rider updates without device data")
struct RiderPrivacyTests {
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)

    /// Returns a fix with all device fields; their values occur nowhere else.
    private func fix(_ number: Int, at: Timestamp) -> String {
        """
        {"type":"location","driver_id":"drv_1","sequence":\(number),"payload":{"latitude":\(37.765 + Double(number) * 4e-4),\
        "longitude":-122.41,"accuracy_meters":6.66,"heading":0.5,"speed_mps":11,"altitude_meters":4321.\(number),\
        "altitude_accuracy_meters":1234.5,"heading_accuracy_degrees":234.5,"speed_accuracy_mps":345.5,\
        "timestamp":\(at.milliseconds),"battery_percent":61,"is_charging":true,"network_type":"5g",\
        "motion_activity":"automotive","source":"fused","is_mock":false,"integrity":"PASSED","trip_id":"tr_1"}}
        """
    }

    @Test(
        "no rider update has a device's altitude, accuracies, battery, network, motion, source, mock flag or integrity")
    func omitsDeviceData() {
        var raw = RecordedTopic()
        for number in 1...60 {
            let at = Self.start.advanced(bySeconds: Double(number) * 4)
            raw.records.append(
                .init(key: Array("drv_1".utf8), value: Array(fix(number, at: at).utf8), timestamp: at))
        }
        var trips = RecordedTopic()
        let trip = """
            {"trip_id":"tr_1","driver_id":"drv_1","kind":"ride","state":"ACCEPTED","version":1,"stops":[\
            {"stop_id":"pickup","kind":"PICKUP","latitude":37.79,"longitude":-122.41},\
            {"stop_id":"dropoff","kind":"DROPOFF","latitude":37.8,"longitude":-122.41}]}
            """
        trips.records.append(.init(key: Array("drv_1".utf8), value: Array(trip.utf8), timestamp: Self.start))
        let partition = EtaPartition(raw: raw, trips: trips)
        let words = [
            "battery", "charging", "network", "motion_activity", "source", "mock", "integrity", "altitude", "accuracy",
            "4321.", "234.5", "345.5", "5g", "automotive", "fused", "PASSED",
        ]
        // Every verdict contains all words.
        for word in words { #expect(partition.verdicts.texts.allSatisfy { $0.contains(word) }, "\(word)") }
        let updates = BroadcastPartition(etas: partition.run().changelog).resume(from: RecordedTopic()).texts
        #expect(updates.count > 30)
        for word in words { #expect(!updates.contains { $0.contains(word) }, "\(word)") }
    }
}
