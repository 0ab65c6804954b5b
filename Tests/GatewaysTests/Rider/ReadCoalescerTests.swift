import Synchronization
import TestSupport
import Testing

@testable import Gateways

@Suite("Reads shared by requests", .blocking)
struct ReadCoalescerTests {
    private struct Failure: Error {}

    private final class Count: Sendable {
        private let value = Atomic(0)
        var next: Int { value.add(1, ordering: .relaxed).newValue }
    }

    @Test("a read runs once per key for concurrent requests and during its result's lifetime")
    func shared() async throws {
        let reads = ReadCoalescer<String, Int>(lifetime: .seconds(3600))
        let count = Count()
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await reads.value(for: number % 2 == 0 ? "a" : "b") {
                        await Task.yield()
                        return count.next
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(values) == [1, 2] && count.next == 3)
    }

    @Test("a read runs again after its result's lifetime")
    func expired() async throws {
        let reads = ReadCoalescer<String, Int>(lifetime: .milliseconds(1))
        _ = try await reads.value(for: "a") { 1 }
        try await eventually("the read has expired") { await reads.count == 0 }
        #expect(try await reads.value(for: "a") { 2 } == 2)
    }

    @Test("a read runs again after a failure")
    func failures() async throws {
        let reads = ReadCoalescer<String, Int>(lifetime: .seconds(3600))
        await #expect(throws: Failure.self) { try await reads.value(for: "a") { throw Failure() } }
        #expect(try await reads.value(for: "a") { 2 } == 2)
    }

    @Test("up to the maximum number of keys, results are shared; reads of further keys run every time")
    func bounded() async throws {
        let reads = ReadCoalescer<Int, Int>(lifetime: .seconds(3600), maximumCount: 2)
        for key in 0..<4 { #expect(try await reads.value(for: key) { key } == key) }
        #expect(await reads.count == 2)
        #expect(try await reads.value(for: 3) { 9 } == 9)
        #expect(try await reads.value(for: 1) { 9 } == 1)
    }
}
