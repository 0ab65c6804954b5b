import Testing

@testable import Chaos

@Suite("Fault plan")
struct FaultPlanTests {
    @Test("the first nine seeds cover every kind of fault")
    func everyKindIsCovered() {
        let selected = Set((1...9).flatMap { FaultPlan(seed: UInt64($0)).faults })
        #expect(selected == Set(FaultKind.allCases))
    }

    @Test("a seed always has the same three faults")
    func sameSeedSameFaults() {
        for seed in 1...40 as ClosedRange<UInt64> {
            #expect(FaultPlan(seed: seed).faults == FaultPlan(seed: seed).faults)
            #expect(FaultPlan(seed: seed).faults.count == 3)
        }
    }

    @Test("no fault follows a failover, because a later fault would affect the unused server")
    func failoverComesLast() {
        for seed in 1...40 as ClosedRange<UInt64> {
            #expect(FaultPlan(seed: seed).faults.dropLast().allSatisfy { !$0.isLast })
        }
    }
}
