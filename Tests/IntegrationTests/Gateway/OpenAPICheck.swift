import Foundation
import Gateways
import TestSupport
import Testing

/// Whether a gateway is what its OpenAPI document describes: schemathesis sends what the document allows and what it
/// does not, and compares the answers with it.
enum OpenAPICheck {
    /// Runs all checks of schemathesis against a gateway.
    /// - Parameters:
    ///   - document: its name in docs/schemas.
    ///   - address: where the gateway listens, such as `127.0.0.1:8080`.
    ///   - grant: what the token of the requests allows.
    ///   - parameters: values of parameters that are not to be made up, by names such as `path.id`.
    ///   - path: a path that is left out, as a stream, which does not end.
    /// - Throws: where it cannot be run.
    static func run(
        _ document: String, at address: String, grant: TokenGrant, parameters: [String: String] = [:],
        without path: String? = nil
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("schemathesis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Read from the folder in which it runs.
        let hooks = Checkout.root.appendingPathComponent("Tests/Web/openapi_hooks.py").path
        let settings =
            ["hooks = \"\(hooks)\"", "[parameters]"]
            + parameters.sorted { $0.key < $1.key }.map { "\"\($0.key)\" = \"\($0.value)\"" }
        try Data(settings.map { "\($0)\n" }.joined().utf8)
            .write(to: folder.appendingPathComponent("schemathesis.toml"))
        let file = Checkout.root.appendingPathComponent("docs/schemas/\(document)").path
        let answer = try WebScript.python(
            [
                "-m", "schemathesis.cli", "run", file, "--url", "http://\(address)", "--checks", "all",
                "--max-examples", "30", "--seed", "1", "--request-timeout", "60", "--header",
                "Authorization: Bearer \(try await GatewayTokens.token(grant))", "--no-color",
            ] + (path.map { ["--exclude-path", $0] } ?? []), packages: "schemathesis", folder: folder)
        #expect(answer.code == 0, "\(answer.output)")
    }
}
