import Foundation
import TestSupport
import Testing

@Suite("The versions of Swift packages")
struct PackageVersionTests {
    private struct Resolved: Decodable {
        struct Pin: Decodable {
            struct State: Decodable { var version: String? }
            var identity: String
            var state: State
        }
        var pins: [Pin]
    }

    @Test("every package that a build resolves has the exact version that Package.swift names")
    func exact() throws {
        let manifest = try Checkout.text("Package.swift")
        var named: [String: String] = [:]
        for match in manifest.matches(of: /url: "[^"]*\/([^"\/]+?)(?:\.git)?", exact: "([^"]+)"/) {
            named[String(match.1)] = String(match.2)
        }
        #expect(named.count == manifest.matches(of: /\.package\(url:/).count, "a version that is not exact floats")
        // Written by the build of these tests.
        let resolved = try JSONDecoder().decode(Resolved.self, from: Data(try Checkout.text("Package.resolved").utf8))
        for pin in resolved.pins { #expect(named[pin.identity] == pin.state.version, "\(pin.identity) floats") }
    }
}
