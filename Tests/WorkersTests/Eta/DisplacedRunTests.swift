import Processors
import Testing

@Suite("Runs that leave their route")
struct DisplacedRunTests {
    private func message(_ trip: String, route: String?, version: Int, state: String = "IN_PROGRESS") -> String {
        let stops = [0.0, 3000].map { RidePartition.coordinate($0, 0) }.enumerated().map { index, position in
            """
            {"stop_id":"S\(index)","kind":"STOP","latitude":\(position.latitude),"longitude":\(position.longitude)}
            """
        }
        let member = route.map { ",\"route_id\":\"\($0)\"" } ?? ""
        return """
            {"trip_id":"\(trip)","kind":"transit","state":"\(state)","version":\(version),\
            "stops":[\(stops.joined(separator: ","))]\(member)}
            """
    }

    private func drive(_ partition: inout RidePartition, through end: Double = 200) {
        for second in stride(from: 0.0, through: end, by: 4) { partition.addFix("bus", 10 * second, at: second) }
    }

    /// Returns the channel and run of each `vehicle_left` update, in order.
    private func departures(_ updates: RecordedTopic) -> [String] {
        updates.records.compactMap { record in
            let text = String(decoding: record.value ?? [], as: UTF8.self)
            guard text.contains("\"vehicle_left\""), let run = text.firstMatch(of: /"streamId":"([^"]*)"/) else {
                return nil
            }
            return "\(String(decoding: record.key, as: UTF8.self)) \(run.output.1)"
        }
    }

    @Test("a displaced run leaves its route at the displacing run's first message, also after restarts")
    func displaced() {
        var partition = RidePartition()
        partition.addTrip("bus", text: message("run1", route: "R1", version: 1), at: 1)
        partition.addTrip("bus", text: message("run2", route: "R1", version: 1), at: 101)
        drive(&partition)
        let etas = partition.run().etas
        let updates = RidePartition.updates(of: etas)
        #expect(departures(updates) == ["route:R1 run1"])
        let at = updates.records.first { String(decoding: $0.value ?? [], as: UTF8.self).contains("vehicle_left") }
        #expect(at?.timestamp == RidePartition.start.advanced(bySeconds: 101))
        for stop in stride(from: 20, to: partition.count, by: 1) where stop < 35 || stop % 10 == 0 {
            let restarted = partition.run(stops: [stop]).etas
            #expect(restarted.texts == etas.texts, "stopped after \(stop)")
        }
        for stop in stride(from: 1, to: etas.records.count, by: 3) {
            #expect(RidePartition.updates(of: etas, stop: stop).texts == updates.texts, "stopped after \(stop)")
        }
    }

    @Test("a run leaves its old route when the route changes, and the new route when the run ends")
    func changed() {
        var partition = RidePartition()
        partition.addTrip("bus", text: message("run1", route: "R1", version: 1), at: 1)
        partition.addTrip("bus", text: message("run1", route: "R2", version: 2), at: 101)
        partition.addTrip("bus", text: message("run1", route: nil, version: 3, state: "COMPLETED"), at: 190)
        drive(&partition)
        #expect(departures(RidePartition.updates(of: partition.run().etas)) == ["route:R1 run1", "route:R2 run1"])
    }

    @Test("a displaced ride leaves no route and has no displacement record")
    func ride() {
        var partition = RidePartition()
        partition.addTrip("bus", "IN_PROGRESS", version: 1, at: 1, trip: "ride1")
        partition.addTrip("bus", "IN_PROGRESS", version: 1, at: 101, trip: "ride2")
        drive(&partition)
        let etas = partition.run().etas
        #expect(departures(RidePartition.updates(of: etas)).isEmpty)
        #expect(!etas.texts.contains { $0.contains("is_displaced") })
    }
}
