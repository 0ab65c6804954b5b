import Processors
import Testing

@Suite("Trip warnings of eta-worker")
struct EtaTripWarningTests {
    /// Returns a ride that leaves its route by 300 m after 20 s, and returns to it unless `endsOffRoute`.
    private func partition(endsOffRoute: Bool = false) -> RidePartition {
        var partition = RidePartition()
        partition.addTrip("d1", "IN_PROGRESS", version: 1, at: 0)
        var (east, north) = (0.0, 0.0)
        for second in 1...130 {
            switch second {
            case 21...50: north += 10
            case 71...100 where !endsOffRoute: north -= 10
            default: east += 10
            }
            partition.addFix("d1", east, north, at: Double(second))
        }
        partition.addTrip("d1", "COMPLETED", version: 2, at: 140)
        return partition
    }

    private func summaries(_ topic: RecordedTopic) -> [String] {
        topic.texts.map { text in
            guard text.contains("\"warning_code\":\"ROUTE_DEVIATION\""), text.contains("\"trip_id\":\"t\"") else {
                return text
            }
            if text.contains("\"resolved\":false") { return "begins" }
            return text.contains("\"ended_by\":\"RETURNED\"") ? "returned" : "trip ended"
        }
    }

    @Test("leaving the route raises a warning, and returning to it resolves the warning")
    func beginsAndEnds() throws {
        let written = partition().run()
        #expect(summaries(written.warnings) == ["begins", "returned"])
        let first = try #require(written.warnings.records.first)
        // The ride is over 60 m away from second 27 on; the warning follows after three fixes and 15 s.
        let second = first.timestamp.seconds(since: RidePartition.start)
        #expect((42...50).contains(second), "\(second)")
        #expect(String(decoding: first.key, as: UTF8.self) == "t")
        #expect(written.etas.records.contains { $0.event == first.event }, "The event id is that of an ETA record.")
    }

    @Test("the warning is resolved if the ride ends off its route")
    func endsWithTheTrip() {
        #expect(summaries(partition(endsOffRoute: true).run().warnings) == ["begins", "trip ended"])
    }

    @Test("a restart at any record publishes each warning once, with the same bytes", arguments: [false, true])
    func restarts(losesLast: Bool) {
        let partition = partition()
        let undisturbed = partition.run()
        for stop in stride(from: 2, to: partition.count, by: 3) {
            let restarted = partition.run(stops: [stop], losesLast: losesLast)
            #expect(restarted.warnings.texts == undisturbed.warnings.texts, "stopped after \(stop)")
            #expect(restarted.etas.texts == undisturbed.etas.texts, "stopped after \(stop)")
        }
    }

    @Test("the warning of a displaced trip is resolved")
    func displaced() {
        var partition = RidePartition()
        partition.addTrip("d1", "IN_PROGRESS", version: 1, at: 0)
        for second in 1...60 { partition.addFix("d1", 10, Double(second) * 10, at: Double(second)) }
        partition.addTrip("d1", "ACCEPTED", version: 1, at: 61, trip: "u")
        let written = partition.run()
        #expect(written.warnings.texts.map { $0.contains("\"ended_by\":\"DISPLACED\"") } == [false, true])
        #expect(written.warnings.records.map { String(decoding: $0.key, as: UTF8.self) } == ["t", "t"])
    }
}
