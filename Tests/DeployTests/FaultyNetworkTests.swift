import TestSupport
import Testing

@Suite(
    "The fault-injecting proxy of the integration tests", .nightly, .blocking,
    .enabled(if: Checkout.tool("python3") != nil, "python3 is not installed."))
struct FaultyNetworkTests {
    @Test("the proxy passes its unit tests in Tests/Network")
    func proxyUnitTests() throws {
        let python = try #require(Checkout.tool("python3"))
        let result = try Checkout.run(python, ["-m", "unittest", "discover", "Tests/Network"])
        #expect(result.code == 0 && result.output.contains("\nOK"), "\(result.output)")
        #expect(!result.output.contains("Ran 0 tests"), "\(result.output)")
    }
}
