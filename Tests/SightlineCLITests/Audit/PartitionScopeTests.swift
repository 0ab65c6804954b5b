import Testing

@testable import Domain
@testable import SightlineCLI

@Suite("Scope of an audit: new events")
struct PartitionScopeTests {
    /// Ends of the topics, and the number of queries for them.
    private final class Ends {
        var ends: (raw: Int64, trips: Int64) = (100, 50)
        var queries = 0
    }

    private let ends = Ends()

    private var scope: PartitionScope {
        PartitionScope(partition: 0, firstRaw: 0, firstTrip: 0, settledRaw: 20, settledTrips: 10) { [ends] in
            ends.queries += 1
            return ends.ends
        }
    }

    @Test("an event between the settled offset and the end of its topic may be new")
    func bounds() throws {
        let scope = scope
        for (offset, isNew): (Int64, Bool) in [(19, false), (20, true), (99, true), (100, false)] {
            #expect(try scope.mayBeNew(EventID(partition: 0, offset: offset)) == isNew, "raw \(offset)")
        }
        for (offset, isNew): (Int64, Bool) in [(9, false), (10, true), (49, true), (50, false)] {
            let event = EventID(origin: .trips, partition: 0, offset: offset)
            #expect(try scope.mayBeNew(event) == isNew, "trips \(offset)")
        }
    }

    @Test("the broker is queried once for events before the known end, and again for later events")
    func queries() throws {
        let scope = scope
        ends.ends.raw = 10_000
        for offset in Int64(0)..<10_000 { _ = try scope.mayBeNew(EventID(partition: 0, offset: offset)) }
        #expect(ends.queries == 1)
        ends.ends.raw = 10_001
        #expect(try scope.mayBeNew(EventID(partition: 0, offset: 10_000)))
        #expect(ends.queries == 2)
    }
}
