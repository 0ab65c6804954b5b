import Testing

@testable import Chaos

@Suite("Lag monitor")
struct LagMonitorTests {
    @Test(
        "partitions are complete if each partition of every topic is assigned once",
        arguments: [(WorkerKind.location, 8), (.position, 16), (.history, 32)])
    func complete(kind: WorkerKind, expected: Int) {
        let complete = (0...40).filter { assigned in
            LagMonitor.Reading(partitionsAssigned: Double(assigned)).isComplete(kind, partitions: 8)
        }
        #expect(complete == [expected])
    }
}
