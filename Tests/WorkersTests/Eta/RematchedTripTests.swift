import Processors
import Foundation
import Testing

@Suite("Trips that another driver takes over, with facts and stages")
struct RematchedTripTests {
    private static let ann = #""facts":{"driver":{"first_name":"Ann","vehicle":{"color":"red","model":"Kona"}}}"#
    private static let ben = #""facts":{"driver":{"first_name":"Ben","vehicle":{"color":"blue","model":"Zoe"}}}"#

    /// Returns a trip with two drivers of one partition: the first cancels, the second drives.
    private func partition(cancelledAt: Double = 20) -> RidePartition {
        var partition = RidePartition()
        partition.addTrip("d1", "REQUESTED", version: 1, at: 0, members: #""facts":{"fare":{"currency":"EUR"}}"#)
        partition.addTrip("d1", "ACCEPTED", version: 2, at: 5, members: Self.ann)
        partition.addTrip(
            "d1", "CANCELLED", version: 3, at: cancelledAt, members: #""triggered_by":"DRIVER""#)
        partition.addTrip("d2", "ACCEPTED", version: 4, at: 25, members: Self.ben)
        partition.addTrip("d2", "driver_en_route", version: 5, at: 28)
        partition.addTrip("d2", "ARRIVED", version: 6, at: 40)
        partition.addTrip("d2", "IN_PROGRESS", version: 7, at: 45)
        partition.addTrip("d2", "arrived_destination", version: 8, at: 90)
        partition.addTrip("d2", "COMPLETED", version: 9, at: 95)
        for second in 1...30 { partition.addFix("d1", -300 + Double(second) * 5, at: Double(second)) }
        for second in 20...40 {
            partition.addFix("d2", -200 + Double(second - 20) * 10, 20, at: Double(second) + 0.5)
        }
        for second in 46...94 { partition.addFix("d2", Double(second - 46) * 10, at: Double(second) + 0.5) }
        return partition
    }

    private func texts(_ updates: RecordedTopic, of type: String) -> [String] {
        updates.texts.filter { $0.hasPrefix("{\"type\":\"\(type)\"") }
    }

    /// Returns a summary of each change of state.
    private func changes(_ updates: RecordedTopic) -> [String] {
        texts(updates, of: "trip_state_changed").map { text in
            func word(_ name: String) -> String? {
                let parts = text.components(separatedBy: "\"\(name)\":\"")
                return parts.count > 1 ? parts[1].components(separatedBy: "\"")[0] : nil
            }
            var parts = [word("previous_state") ?? "-", word("state") ?? "-"]
            if let stage = word("stage") { parts.append(stage) }
            if text.contains("\"rematched\":true") { parts.append("rematched") }
            for name in ["Ann", "Ben", "EUR"] where text.contains(name) { parts.append(name) }
            return parts.joined(separator: " ")
        }
    }

    @Test("after a rematch, riders see the new driver, with stages and facts, but no driver id")
    func newDriver() {
        let updates = RidePartition.updates(of: partition().run().etas)
        #expect(
            changes(updates) == [
                "- REQUESTED EUR", "REQUESTED ACCEPTED Ann", "ACCEPTED CANCELLED Ann",
                "CANCELLED ACCEPTED rematched Ben", "ACCEPTED ACCEPTED DRIVER_EN_ROUTE Ben", "ACCEPTED ARRIVED Ben",
                "ARRIVED IN_PROGRESS Ben",
                "IN_PROGRESS IN_PROGRESS ARRIVED_DESTINATION Ben", "IN_PROGRESS COMPLETED Ben",
            ])
        let notifications = texts(updates, of: "notification")
        let accepted = notifications.filter { $0.contains("DRIVER_ACCEPTED") }
        #expect(accepted.map { $0.contains(#""color":"red","model":"Kona""#) } == [true, false])
        #expect(accepted.map { $0.contains(#""first_name":"Ben""#) } == [false, true])
        let cancelled = notifications.filter { $0.contains("TRIP_CANCELLED") }
        #expect(cancelled.map { $0.contains(#""triggered_by":"DRIVER""#) } == [true])
        #expect(updates.texts.allSatisfy { !$0.contains("\"d1\"") && !$0.contains("\"d2\"") }, "no driver ids")
    }

    @Test("a cancellation by the former driver that arrives after the rematch is not published")
    func lateCancellation() {
        let updates = RidePartition.updates(of: partition(cancelledAt: 35).run().etas)
        #expect(
            changes(updates).prefix(4) == [
                "- REQUESTED EUR", "REQUESTED ACCEPTED Ann", "ACCEPTED ACCEPTED rematched Ben",
                "ACCEPTED ACCEPTED DRIVER_EN_ROUTE Ben",
            ])
        #expect(!changes(updates).contains { $0.contains("CANCELLED") })
    }

    @Test("records caused by trip messages contain facts; records caused by locations contain none")
    func onlyWithMessages() {
        for record in partition().run().etas.records {
            let text = String(decoding: record.value ?? [], as: UTF8.self)
            #expect(text.contains("\"facts\"") == (record.event?.origin == .trips), "\(text)")
        }
    }

    @Test("a restart at any record changes no byte of arrival records and rider updates", arguments: [20.0, 35])
    func restarts(cancelledAt: Double) {
        let partition = partition(cancelledAt: cancelledAt)
        let expected = partition.run()
        for stop in stride(from: 1, to: partition.count, by: 4) {
            let restarted = partition.run(stops: [stop])
            #expect(restarted.etas.texts == expected.etas.texts, "stopped after \(stop)")
            #expect(restarted.etas.records.map(\.state) == expected.etas.records.map(\.state), "stopped after \(stop)")
        }
        let updates = RidePartition.updates(of: expected.etas)
        for stop in stride(from: 1, to: expected.etas.records.count, by: 5) {
            #expect(RidePartition.updates(of: expected.etas, stop: stop).texts == updates.texts, "stop \(stop)")
        }
    }

    @Test("facts that are too large or invalid become a dead letter, and the trip keeps its former facts")
    func tooLarge() throws {
        var partition = RidePartition()
        partition.addTrip("d1", "ACCEPTED", version: 1, at: 0, members: Self.ann)
        let large = "\"facts\":{\"a\":\"" + String(repeating: "x", count: 5000) + "\"}"
        partition.addTrip("d1", "ARRIVED", version: 2, at: 5, members: large)
        partition.addTrip("d1", "IN_PROGRESS", version: 3, at: 9, members: "\"facts\":[1]")
        partition.addTrip("d1", "ARRIVED", version: 4, at: 10, members: "\"facts\":[1]")
        let written = partition.run()
        #expect(written.etas.texts.map { $0.contains("Ann") } == [true, true, true])
        #expect(changes(RidePartition.updates(of: written.etas)).last == "ARRIVED IN_PROGRESS Ann")
        // The state of the last message is also invalid, which the same dead letter reports.
        #expect(written.deadLetters.records.map(\.event?.offset) == [1, 2, 3])
        #expect(written.counts.reduce(0, +) == 4, "Both faults of the last message are counted.")
    }

    @Test("facts of a scheduled run are published on the trip's channel only")
    func routeChannel() {
        var partition = RidePartition()
        let stops = [0.0, 1000].enumerated().map { index, east in
            let position = RidePartition.coordinate(east, 0)
            return "{\"stop_id\":\"s\(index)\",\"kind\":\"STOP\",\"latitude\":\(position.latitude),"
                + "\"longitude\":\(position.longitude)}"
        }
        partition.addTrip(
            "d1",
            text: "{\"trip_id\":\"run\",\"kind\":\"transit\",\"route_id\":\"R1\",\"state\":\"IN_PROGRESS\","
                + "\"stops\":[\(stops.joined(separator: ","))],\(Self.ann)}", at: 0)
        for second in 1...20 { partition.addFix("d1", Double(second) * 10, at: Double(second)) }
        let updates = RidePartition.updates(of: partition.run().etas)
        let route = updates.texts.filter { $0.contains("\"channel\":\"route:R1\"") }
        #expect(!route.isEmpty)
        #expect(route.allSatisfy { !$0.contains("Ann") && !$0.contains("facts") })
        #expect(updates.texts.filter { $0.contains("Ann") }.allSatisfy { $0.contains("\"channel\":\"trip:run\"") })
        #expect(updates.texts.contains { $0.contains("Ann") })
    }
}
