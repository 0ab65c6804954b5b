import Testing

@testable import Recordings
@testable import SightlineCLI

@Suite("The plan of topics recreate")
struct RecreatePlanTests {
    @Test("new topics have the given number of partitions, or the number of existing topics")
    func partitions() throws {
        #expect(try RecreatePlan.decidePartitions(["a": 6, "b": 6], nil) == 6)
        #expect(try RecreatePlan.decidePartitions(["a": 6], 12) == 12)
        #expect(try RecreatePlan.decidePartitions([:], 3) == 3)
        #expect(try RecreatePlan.decidePartitions(["a": 6, "b": 5], 6) == 6)
    }

    @Test("without a common number of partitions, the error suggests --partitions")
    func unknownPartitions() {
        let none = #expect(throws: InputError.self) { try RecreatePlan.decidePartitions([:], nil) }
        #expect(none?.description.contains("--partitions") == true)
        let mixed = #expect(throws: InputError.self) { try RecreatePlan.decidePartitions(["a": 6, "b": 5], nil) }
        #expect(mixed?.description.contains("a has 6, b has 5") == true)
        #expect(mixed?.description.contains("--partitions") == true)
    }
}
