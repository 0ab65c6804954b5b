import Foundation
import TestSupport
import Testing

@Suite(
    "Examples/follow.py", .blocking,
    .enabled(if: PythonPackages.hasWebSockets, "needs Python's websockets; deploy/test installs it"))
struct FollowExampleTests {
    private func run(_ arguments: [String], token: String? = nil) throws -> (code: Int32, output: String) {
        let python = try #require(Checkout.tool("python3"))
        var environment = ProcessInfo.processInfo.environment.merging(["PYTHONPATH": PythonPackages.path]) { $1 }
        environment["SIGHTLINE_TOKEN"] = token
        return try Checkout.run(python, ["Examples/follow.py"] + arguments, environment: environment)
    }

    @Test("--help lists the options, and the error for a missing token says how to create one")
    func scriptOptions() throws {
        let help = try run(["--help"])
        #expect(help.code == 0, "\(help.output)")
        for option in [
            "--url", "--token", "--log", "--clients", "--reconnect-every", "--acknowledge", "--seconds",
            "docs/gateway.md",
        ] {
            #expect(help.output.contains(option), "\(help.output)")
        }
        let withoutToken = try run(["trip:a"])
        #expect(withoutToken.code == 2)
        #expect(withoutToken.output.contains("`sightline token` makes one"), "\(withoutToken.output)")
    }

    @Test("without a gateway, the script retries until --seconds have passed")
    func missingGateway() throws {
        let result = try run(["--url", "ws://127.0.0.1:1/realtime", "--seconds", "1", "trip:a"], token: "any")
        #expect(result.code == 0, "\(result.output)")
        #expect(result.output.contains("The connection ended: "), "\(result.output)")
        #expect(result.output.contains("client 1: 0 events over 0 connections"), "\(result.output)")
    }
}
