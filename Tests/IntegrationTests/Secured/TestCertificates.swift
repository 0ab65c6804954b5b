import Foundation
import TestSupport

/// Certificates of an authority made for one test, by the same script that operators try TLS with.
///
/// They name localhost and 127.0.0.1; 127.0.0.2 is the wrong host that answers.
final class TestCertificates {
    let folder: URL

    static let isPossible = Checkout.tool("openssl") != nil

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        let script = try Program(
            "certificates", [folder.path, "server", "client"],
            executable: Checkout.root.appending(path: "deploy/compose/certificates"))
        defer { script.discard() }
        guard try await script.wait() == 0 else {
            throw Program.Failure(description: "No certificates were made: \(script.output)")
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var authority: String { path("ca.pem") }

    func path(_ name: String) -> String { folder.appending(path: name).path }
}
