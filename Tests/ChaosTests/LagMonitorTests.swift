import Testing

@testable import Chaos

@Suite("Lag watch")
struct LagMonitorTests {
    /// The numbers of held partitions, up to 40, that count as whole for workers of topics with eight partitions.
    private func whole(_ kind: WorkerKind, isOfOlderBuild: Bool) -> [Int] {
        (0...40).filter { held in
            LagMonitor.Reading(partitionsAssigned: Double(held), isOfOlderBuild: isOfOlderBuild)
                .isWhole(kind, partitions: 8)
        }
    }

    @Test("each partition of every topic is held once")
    func thisBuild() {
        #expect(whole(.location, isOfOlderBuild: false) == [8])
        #expect(whole(.position, isOfOlderBuild: false) == [16])
        #expect(whole(.history, isOfOlderBuild: false) == [32])
    }

    @Test("an older build may read fewer topics than this one, but not more")
    func olderBuild() {
        #expect(whole(.location, isOfOlderBuild: true) == [8])
        #expect(whole(.position, isOfOlderBuild: true) == [8, 16])
        #expect(whole(.history, isOfOlderBuild: true) == [8, 16, 24, 32])
    }
}
