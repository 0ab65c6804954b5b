import Foundation
import Testing

@testable import Domain
@testable import Processing
@testable import SightlineCLI
@testable import Support

@Suite("Filtering by trip in tail")
struct NamedTripTests {
    private static let position = #""latitude":48.1,"longitude":11.5,"timestamp":1741977135123"#
    private static let batch =
        #"{"type":"location_batch","locations":[{\#(position),"trip_id":"tr_1"},{\#(position),"tripId":"tr_2"},{\#(position)}]}"#

    private func entry(
        _ topic: PipelineTopic, _ value: String, by filters: Set<TailFilter.Kind>, isJSON: Bool = false
    ) -> TailEntry {
        let renderer = RecordRenderer(topic: topic, isJSON: isJSON, filters: filters)
        return ByteSlice.withBytes(of: "drv_17") { key in
            ByteSlice.withBytes(of: value) { value in
                renderer.entry(
                    InputRecord(
                        partition: 3, offset: 12, timestamp: Timestamp(milliseconds: 1_741_977_135_123), key: key,
                        value: value))
            }
        }
    }

    /// Returns whether `tail --trip` shows the record.
    private func isShown(_ trip: String, _ topic: PipelineTopic, _ value: String, isJSON: Bool = false) throws -> Bool {
        let filter = try TailFilter.parse(["--trip", trip])
        return filter.matches(entry(topic, value, by: filter.kinds, isJSON: isJSON))
    }

    @Test("with text or JSON output, a batch matches if any of its fixes has the trip", arguments: [false, true])
    func batch(isJSON: Bool) throws {
        for trip in ["tr_1", "tr_2"] { #expect(try isShown(trip, .rawLocations, Self.batch, isJSON: isJSON)) }
        for trip in ["tr_", "tr_11", "tr_3", "drv_17"] {
            #expect(try !isShown(trip, .rawLocations, Self.batch, isJSON: isJSON), "\(trip)")
        }
    }

    @Test("a batch matches if the enclosing record has the trip")
    func enclosing() throws {
        let record = #"{"trip_id":"tr_0","payload":{"locations":[{\#(Self.position),"trip_id":"tr_1"}]}}"#
        #expect(try isShown("tr_0", .rawLocations, record) && isShown("tr_1", .rawLocations, record))
    }

    @Test(
        "an unreadable record matches if it contains the trip",
        arguments: [PipelineTopic.rawLocations, .locationsDeadLetter],
        [
            // No latitude, a truncated batch, a truncated record whose entry is not an object, an escape, and a latitude out
            // of range.
            #"{"type":"location_batch","locations":[{"longitude":2},{\#(NamedTripTests.position),"trip_id":"tr_2"}]}"#,
            #"{"locations":[{\#(NamedTripTests.position),"trip_id":"tr_1"},{\#(NamedTripTests.position),"trip_id":"tr_2"},{"lati"#,
            #"{"locations":[7,"trip_id",{"tripId" : "tr_2"}]"#, #"{"payload":{"trip_id":"tr\u005f2"}}"#,
            #"{"trip_id":"tr_2","latitude":91}"#,
        ])
    func unreadable(topic: PipelineTopic, value: String) throws {
        #expect(try isShown("tr_2", topic, value))
        #expect(try !isShown("tr_3", topic, value))
    }

    @Test(
        "a record without the trip does not match",
        arguments: [
            "", "tr_2", #""tr_2""#, #"{"trip_id":null}"#, #"{"trip_id":["tr_2"]}"#, #"{"note":"tr_2"}"#,
            #"{"note":"\"trip_id\":\"tr_2\""}"#, #"{"trip_id":"tr_2\x"}"#,
        ])
    func other(value: String) throws {
        for topic in [PipelineTopic.rawLocations, .locationsDeadLetter, .tripsDeadLetter, .trips] {
            #expect(try !isShown("tr_2", topic, value))
        }
    }

    @Test("without --trip, records are not searched for trip ids", arguments: [[], ["--driver", "drv_17"]])
    func noFilter(arguments: [String]) throws {
        let filter = try TailFilter.parse(arguments)
        for topic in [PipelineTopic.rawLocations, .locationsDeadLetter] {
            let entry = entry(topic, Self.batch, by: filter.kinds)
            #expect(entry.trips.isEmpty && entry.driver == "drv_17")
            #expect(filter.matches(entry))
        }
    }

    @Test("JSON output decodes records only if a filter needs more than the key")
    func unread() throws {
        for arguments in [[], ["--driver", "drv_17"]] {
            let filter = try TailFilter.parse(arguments)
            let entry = entry(.rawLocations, Self.batch, by: filter.kinds, isJSON: true)
            #expect(entry.cells.isEmpty && filter.matches(entry))
        }
        #expect(!entry(.rawLocations, Self.batch, by: [.driver], isJSON: false).cells.isEmpty)
        #expect(!entry(.rawLocations, Self.batch, by: [.trip], isJSON: true).cells.isEmpty)
    }
}
