import ArgumentParser
import Testing

@testable import Domain
@testable import SightlineCLI

@Suite("Filters of tail")
struct TailFilterTests {
    private func entry(_ driver: String?, _ trip: String?, _ reasons: [String]) -> TailEntry {
        var entry = TailEntry()
        entry.driver = driver
        entry.trips = trip.map { [$0] } ?? []
        entry.reasons = reasons
        return entry
    }

    @Test("a record matches if driver, trip and one of the reasons match")
    func matches() throws {
        let filter = try TailFilter.parse([
            "--driver", "drv_1", "--trip", "tr_1", "--reason", "teleportation", "--reason", "FLAGGED",
        ])
        #expect(filter.matches(entry("drv_1", "tr_1", ["TELEPORTATION", "SUSPECT"])))
        #expect(filter.matches(entry("drv_1", "tr_1", ["FLAGGED"])))
        #expect(!filter.matches(entry("drv_1", "tr_1", ["SUSPECT"])))
        #expect(!filter.matches(entry("drv_2", "tr_1", ["FLAGGED"])))
        #expect(!filter.matches(entry("drv_1", nil, ["FLAGGED"])))
        #expect(try TailFilter.parse([]).matches(entry(nil, nil, [])))
    }

    @Test("the error for an unsupported filter or an unknown reason suggests a supported one")
    func unsupported() throws {
        let filter = #expect(throws: (any Error).self) { try Tail.parse(["rider.updates", "--driver", "drv_1"]) }
        #expect(filter.map { Tail.message(for: $0).contains("use --trip") } == true)
        let reason = #expect(throws: (any Error).self) {
            try Tail.parse(["driver.locations", "--reason", "TELEPORT"])
        }
        #expect(reason.map { Tail.message(for: $0).contains("TELEPORTATION") } == true)
    }

    @Test("an unknown topic is an error")
    func unknownTopic() {
        #expect(throws: (any Error).self) { try Tail.parse(["elsewhere", "--trip", "tr_1"]) }
    }

    @Test("each topic accepts exactly the filters that it supports", arguments: PipelineTopic.allCases)
    func supported(topic: PipelineTopic) throws {
        let supported = TailColumns(topic).filters
        for kind in TailFilter.Kind.allCases {
            let value = kind == .reason ? TailFilter.reasons(of: topic).sorted().first ?? "X" : "x_1"
            let isAccepted = (try? Tail.parse([topic.rawValue, "--\(kind.rawValue)", value])) != nil
            #expect(isAccepted == supported.contains(kind), "\(topic) \(kind)")
        }
    }
}
