import Testing

@testable import Chaos

@Suite("Fault plan")
struct FaultPlanTests {
    @Test("the first nine seeds cover every kind of fault")
    func everyKindIsCovered() {
        let selected = Set((1...9).flatMap { FaultKind.plan(seed: UInt64($0)) })
        #expect(selected == Set(FaultKind.allCases))
    }

    @Test("a seed always has the same three faults")
    func sameSeedSameFaults() {
        for seed in 1...40 as ClosedRange<UInt64> {
            #expect(FaultKind.plan(seed: seed) == FaultKind.plan(seed: seed))
            #expect(FaultKind.plan(seed: seed).count == 3)
        }
    }

    @Test("no fault follows a failover, because a later fault would affect the unused server")
    func failoverComesLast() {
        for seed in 1...40 as ClosedRange<UInt64> {
            #expect(FaultKind.plan(seed: seed).dropLast().allSatisfy { !$0.isLast })
        }
    }
}
