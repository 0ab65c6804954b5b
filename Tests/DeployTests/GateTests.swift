import Foundation
import TestSupport
import Testing

@Suite("Bounds of what a fix costs", .blocking)
struct GateTests {
    private let script = Checkout.root.appendingPathComponent("deploy/gate")

    @Test("every part of the core has bounds, and allocates less than once in fifty fixes")
    func bounds() throws {
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

    @Test("--help explains, and an unknown option is refused, both without building anything")
    func options() throws {
        let help = try Checkout.run(script, ["--help"])
        #expect(help.code == 0 && help.output.contains("deploy/gate --write"))
        let refused = try Checkout.run(script, ["--fast"])
        #expect(refused.code == 2 && refused.output.contains("unknown option '--fast'"))
    }
}
