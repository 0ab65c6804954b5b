import Foundation
import TestSupport
import Testing

@Suite("nginx sample configuration for the gateways", .blocking)
struct ProxySampleTests {
    private static func text() throws -> String { try Checkout.text("deploy/nginx/gateways.conf") }

    /// Returns the trimmed lines of a location block.
    private static func location(_ path: String) throws -> [String] {
        let parts = try text().components(separatedBy: "    location \(path) {\n")
        let body = try #require(parts.dropFirst().first).components(separatedBy: "\n    }")[0]
        return body.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test("access and error logs never contain the query, which may contain a token")
    func logsWithoutQuery() throws {
        let text = try Self.text()
        let logs = text.matches(of: /\n\s+access_log (.*);/).map { String($0.1) }
        #expect(logs.count == 2 && logs.allSatisfy { $0.hasSuffix(" without_query") })
        let format = try #require(text.firstMatch(of: /log_format without_query '([^']*)'/)).1
        for variable in ["$request ", "$request\"", "$request_uri", "$args", "$query_string", "$http_referer"] {
            #expect(!format.contains(variable), "\(variable)")
        }
        #expect(text.matches(of: /\n\s+error_log \S+ crit;/).count == 2)
    }

    @Test("WebSocket requests of riders and drivers are upgraded", arguments: ["/realtime", "/drivers/realtime"])
    func webSocketUpgrade(path: String) throws {
        let lines = try Self.location("= \(path)")
        #expect(lines.contains("proxy_set_header Upgrade $http_upgrade;"))
        #expect(lines.contains("proxy_set_header Connection \"upgrade\";"))
        #expect(lines.contains("proxy_set_header X-Forwarded-For $remote_addr;"))
    }

    @Test("connections per address are limited for riders and drivers")
    func connectionLimits() throws {
        let text = try Self.text()
        #expect(text.contains("\nlimit_conn_zone $binary_remote_addr zone=clients:10m;\n"))
        #expect(text.matches(of: /\n    limit_conn clients \d+;/).count == 2)
    }

    @Test(
        "nginx accepts the configuration",
        .enabled(if: Checkout.tool("nginx") != nil && Checkout.tool("openssl") != nil, "needs nginx"))
    func nginxSyntax() throws {
        let (nginx, openssl) = (try #require(Checkout.tool("nginx")), try #require(Checkout.tool("openssl")))
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["riders", "drivers"] {
            let result = try Checkout.run(
                openssl,
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=\(name).example.com",
                    "-keyout", folder.appendingPathComponent("\(name).key").path,
                    "-out", folder.appendingPathComponent("\(name).pem").path,
                ])
            #expect(result.code == 0, "\(result.output)")
        }
        let sample = try Self.text().replacing("/etc/nginx/", with: "\(folder.path)/")
            .replacing("/var/log/nginx/", with: "\(folder.path)/")
        let file = folder.appendingPathComponent("nginx.conf")
        try "pid \(folder.path)/pid; events {} http {\n\(sample)\n}\n"
            .write(to: file, atomically: true, encoding: .utf8)
        let result = try Checkout.run(nginx, ["-t", "-c", file.path, "-g", "error_log \(folder.path)/log;"])
        #expect(result.code == 0, "\(result.output)")
    }
}
