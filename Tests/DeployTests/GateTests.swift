import Foundation
import TestSupport
import Testing

@Suite("deploy/gate and its bounds", .blocking)
struct GateTests {
    @Test("every phase of the core benchmark has bounds, with less than one allocation per 50 fixes")
    func phaseBounds() throws {
        let text = try String(
            contentsOf: Checkout.root.appendingPathComponent("Tools/Benchmarks/bounds.csv"), encoding: .utf8)
        var rows = text.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
        #expect(rows.removeFirst() == ["phase", "instructions_per_fix", "allocations_per_fix"])
        #expect(rows.map { $0[0] } == ["decode", "judge", "encode", "location", "eta", "broadcast"])
        for row in rows {
            #expect((Int(row[1]) ?? 0) > 0)
            #expect((Double(row[2]) ?? 1) < 0.02)
        }
    }
}
