import Foundation
import TestSupport

/// Certificates of a new authority, created with deploy/compose/certificates.
///
/// The certificates are valid for localhost and 127.0.0.1; tests use 127.0.0.2 as a wrong host.
final class TestCertificates {
    let folder: URL

    static let isAvailable = Checkout.tool("openssl") != nil

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        let script = try Program(
            "certificates", [folder.path, "server", "client"],
            executable: Checkout.root.appending(path: "deploy/compose/certificates"))
        defer { script.discard() }
        guard try await script.wait() == 0 else {
            throw Program.Failure(description: "deploy/compose/certificates failed: \(script.output)")
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var authority: String { path("ca.pem") }

    func path(_ name: String) -> String { folder.appending(path: name).path }
}
