import Domain
import Processors
import Foundation
import Processing
import Support
import Testing

/// Message formats of drivers' apps, read by the processors.
@Suite("Messages of drivers' apps")
struct AppMessageTests {
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)

    private func topic(_ values: [String], everySeconds step: Double = 1) -> RecordedTopic {
        var topic = RecordedTopic()
        for (number, value) in values.enumerated() {
            topic.records.append(
                .init(
                    key: Array("d1".utf8), value: Array(value.utf8),
                    timestamp: Self.start.advanced(bySeconds: Double(number) * step)))
        }
        return topic
    }

    /// Returns a stored fix of a vehicle that drives north at 10 m/s; its time is in seconds since 2001.
    private func stored(_ second: Int) -> String {
        let time = Double(Self.start.milliseconds - 978_307_200_000) / 1000 + Double(second)
        return #"{"id":"7B0C1C9E-0FF1-4C3A-9C39-00000000\#(1000 + second)","coordinate":{"latitude":"#
            + "\(48.1 + Double(second) * 0.00009)" + #","longitude":11.5,"speed":10},"accuracy":{"horizontal":5},"#
            + #""timestamp":\#(time),"source":"GPS"}"#
    }

    private func upload(_ seconds: Range<Int>) -> String {
        #"{"type":"location_batch","locations":["# + seconds.map(stored).joined(separator: ",") + "]}"
    }

    private func verdicts(_ topic: RecordedTopic) throws -> [String] {
        try topic.records.map {
            let value = try JSONSerialization.jsonObject(with: Data($0.value ?? []))
            return (value as? [String: Any])?["verdict"] as? String ?? "?"
        }
    }

    @Test("fixes that are uploaded twice are accepted the first time, and duplicates the second time")
    func uploadTwice() throws {
        let raw = topic([upload(0..<20), upload(0..<20), stored(20), stored(20), upload(15..<22)], everySeconds: 25)
        let topics = LocationPartition().run(raw)
        #expect(topics[1].records.isEmpty)
        let expected =
            Array(repeating: "accepted", count: 20) + Array(repeating: "duplicate", count: 20)
            + ["accepted", "duplicate"] + Array(repeating: "duplicate", count: 6) + ["accepted"]
        #expect(try verdicts(topics[0]) == expected)
        for restart in 1..<raw.records.count {
            let disturbed = LocationPartition().run(raw, restartingAfter: restart)
            #expect(disturbed.map(\.texts) == topics.map(\.texts), "restart at \(restart)")
        }
    }

    /// Returns the reason and message of each dead letter.
    private func deadLetters<Part: Processor>(
        _ topic: RecordedTopic, _ layout: ProcessorLayout, _ processor: Part, input: Int
    )
        -> [String]
    {
        var runner = InMemoryRunner(layout: layout, processor: processor)
        var letters: [String] = []
        for offset in topic.records.indices {
            topic.with(offset, input: input) { record, _ in runner.process(record) }
            runner.drainOutputs { output in
                guard output.topic == 1 else { return }
                func header(_ name: String) -> String {
                    output.headers.first { "\($0.name)" == name }.map { $0.value.string } ?? ""
                }
                letters.append(
                    header("__connect.errors.exception.class.name") + ": "
                        + header("__connect.errors.exception.message"))
            }
        }
        return letters
    }

    @Test("a dead letter lists accepted names of a missing member and unknown names, or the wrong type")
    func unknownSpelling() {
        let settings = TrackingSettings()
        let raw = topic([
            #"{"type":"location","payload":{"latitud":48.1,"longitude":11.5,"timestamp":1770000000000}}"#,
            #"{"type":"trip_status","payload":{"tripId":"t","status":"accepted"}}"#, #"{"type":"ping"}"#,
            #"{"locations":[{"lat":48.1,"long":11.5,"timestamp":1770000000000}]}"#,
        ])
        let letters = deadLetters(
            raw, LocationProcessor.layout(settings: settings), LocationProcessor(partition: 0, settings: settings),
            input: 0)
        #expect(
            letters == [
                "MISSING_FIELD: latitude is missing; accepted names: latitude, lat, "
                    + "coordinate.latitude, coordinate.lat, latLng.latitude, latLng.lat; unknown names in the "
                    + "record: latitud",
                #"WRONG_TOPIC: type "trip_status" belongs in the topic trips; this topic accepts locations"#,
                #"SOCKET_MESSAGE: type "ping" is a WebSocket message between app and gateway and belongs in no topic"#,
                "MISSING_FIELD: longitude is missing; accepted names: longitude, lng, "
                    + "coordinate.longitude, coordinate.lng, latLng.longitude, latLng.lng; unknown names in the "
                    + "record: long",
            ])
    }

    private static let plan = """
        {"trip_id":"t","driver_id":"d1","rider_id":"r","state":"ACCEPTED","version":3,"changed_at":1769999990000,\
        "stops":[{"stop_id":"pickup","latitude":48.1,"longitude":11.5},\
        {"stop_id":"dropoff","latitude":48.2,"longitude":11.5}]}
        """

    private func status(_ trip: String, _ state: String, _ second: Double) -> String {
        let time = Double(Self.start.milliseconds - 978_307_200_000) / 1000 + second
        return #"{"type":"trip_status","payload":{"tripId":"\#(trip)","status":"\#(state)","timestamp":\#(time)}}"#
    }

    @Test("a driver's status changes the trip's state and keeps its plan; a device time years ahead is ignored")
    func tripStatus() throws {
        let trips = topic([
            Self.plan, status("t", "driver_en_route", 1), status("t", "arrived_pickup", 2),
            status("t", "trip_started", 600_000_000), status("t", "completed", 4),
        ])
        let partition = EtaPartition(raw: RecordedTopic(), trips: trips)
        let etas = try partition.run().changelog.records.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.value ?? [])) as? [String: Any])
        }
        #expect(etas.map { $0["state"] as? String } == ["ACCEPTED", "ACCEPTED", "ARRIVED", "IN_PROGRESS", "COMPLETED"])
        #expect(etas.map { $0["version"] as? Int } == [3, 3, 3, 3, 3])
        #expect(etas.allSatisfy { ($0["stops"] as? [Any])?.count == 2 })
        let changes = etas.compactMap { $0["change"] as? [String: Any] }
        #expect(changes.map { $0["triggered_by"] as? String }.suffix(3) == ["DRIVER", "DRIVER", "DRIVER"])
        #expect(changes.suffix(2).first?["changed_at"] as? String == "2026-02-02T02:40:03.000Z")
    }

    @Test("a status that is not allowed, or of an unknown trip, becomes a dead letter with the reason")
    func invalidStatus() {
        let letters = deadLetters(
            topic([status("t", "accepted", 0), Self.plan, status("t", "trip_started", 2), status("t", "flying", 3)]),
            EtaProcessor.layout(memorySeconds: 300),
            EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: 300), input: 1)
        #expect(
            letters == [
                "TRIP_NOT_FOUND: The trip t is unknown; expected the trip service's message before the driver's status",
                "INVALID_TRANSITION: ACCEPTED → IN_PROGRESS is not allowed; expected ARRIVED or CANCELLED",
                #"UNKNOWN_STATE: status "flying" is not accepted; expected REQUESTED, ACCEPTED, ARRIVED, IN_PROGRESS, "#
                    + "COMPLETED or CANCELLED",
            ])
    }
}
