import Testing

@testable import Chaos

@Suite("Fault plan")
struct FaultPlanTests {
    @Test("the first nine seeds bring every kind of fault, and so do the first twenty", arguments: [9, 20])
    func everyKindComes(seeds: Int) {
        let dealt = Set((1...seeds).flatMap { FaultPlan(seed: UInt64($0)).faults })
        #expect(dealt == Set(FaultKind.allCases))
    }

    @Test("a seed deals the same faults each time, three of them")
    func sameSeedSameFaults() {
        for seed in 1...40 as ClosedRange<UInt64> {
            #expect(FaultPlan(seed: seed).faults == FaultPlan(seed: seed).faults)
            #expect(FaultPlan(seed: seed).faults.count == 3)
        }
    }

    @Test("nothing follows a failover: it would hit a server that no worker uses")
    func failoverComesLast() {
        for seed in 1...40 as ClosedRange<UInt64> {
            #expect(FaultPlan(seed: seed).faults.dropLast().allSatisfy { !$0.comesLast })
        }
    }
}
