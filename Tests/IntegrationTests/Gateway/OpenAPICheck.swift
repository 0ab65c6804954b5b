import Foundation
import Gateways
import TestSupport
import Testing

/// Comparison of a gateway with its OpenAPI document by schemathesis.
///
/// schemathesis sends valid and invalid requests generated from the document, and validates each response.
enum OpenAPICheck {
    /// Runs all checks of schemathesis against a gateway.
    /// - Parameters:
    ///   - document: file name of the document in docs/schemas.
    ///   - address: address of the gateway, such as `127.0.0.1:8080`.
    ///   - grant: permissions of the requests' token.
    ///   - parameters: fixed values of parameters, by names such as `path.id`.
    ///   - path: a path to exclude, such as the path of an endless stream.
    /// - Throws: an error if schemathesis cannot be run.
    static func run(
        _ document: String, at address: String, grant: TokenGrant, parameters: [String: String] = [:],
        without path: String? = nil
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("schemathesis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // schemathesis reads schemathesis.toml from its working directory.
        let hooks = Checkout.root.appendingPathComponent("Tests/Web/openapi_hooks.py").path
        let settings =
            ["hooks = \"\(hooks)\"", "[parameters]"]
            + parameters.sorted { $0.key < $1.key }.map { "\"\($0.key)\" = \"\($0.value)\"" }
        try Data(settings.map { "\($0)\n" }.joined().utf8)
            .write(to: folder.appendingPathComponent("schemathesis.toml"))
        let file = Checkout.root.appendingPathComponent("docs/schemas/\(document)").path
        let result = try WebScript.python(
            [
                "-m", "schemathesis.cli", "run", file, "--url", "http://\(address)", "--checks", "all",
                "--max-examples", "30", "--seed", "1", "--request-timeout", "60", "--header",
                "Authorization: Bearer \(try GatewayTokens.token(grant))", "--no-color",
            ] + (path.map { ["--exclude-path", $0] } ?? []), packages: "schemathesis", folder: folder)
        #expect(result.code == 0, "\(result.output)")
    }
}
