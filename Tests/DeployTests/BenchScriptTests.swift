import Foundation
import TestSupport
import Testing

@Suite("The benchmark's script", .blocking)
struct BenchScriptTests {
    private let script = Checkout.root.appendingPathComponent("deploy/bench")

    @Test("--help explains, and --json without a file is refused, both without building anything")
    func options() throws {
        let help = try Checkout.run(script, ["--help"])
        #expect(help.code == 0 && help.output.contains("deploy/bench [NAME…] [--json FILE]"))
        let refused = try Checkout.run(script, ["location", "--json"])
        #expect(refused.code == 2 && refused.output.contains("--json needs the name of a file"))
    }
}
