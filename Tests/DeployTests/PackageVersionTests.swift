import Foundation
import TestSupport
import Testing

@Suite("Versions of Swift packages")
struct PackageVersionTests {
    private struct Resolved: Decodable {
        struct Pin: Decodable {
            struct State: Decodable { var version: String? }
            var identity: String
            var state: State
        }
        var pins: [Pin]
    }

    @Test("every resolved package has the exact version in Package.swift")
    func exactVersions() throws {
        let manifest = try Checkout.text("Package.swift")
        var versions: [String: String] = [:]
        for match in manifest.matches(of: /url: "[^"]*\/([^"\/]+?)(?:\.git)?", exact: "([^"]+)"/) {
            versions[String(match.1)] = String(match.2)
        }
        #expect(versions.count == manifest.matches(of: /\.package\(url:/).count, "A package has no exact version.")
        // The build of these tests wrote Package.resolved.
        let resolved = try JSONDecoder().decode(Resolved.self, from: Data(try Checkout.text("Package.resolved").utf8))
        for pin in resolved.pins {
            #expect(versions[pin.identity] == pin.state.version, "\(pin.identity) is not pinned")
        }
    }
}
