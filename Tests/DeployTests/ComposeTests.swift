import Foundation
import TestSupport
import Testing

@Suite("Deployment files")
struct ComposeTests {
    private static let workers = [
        "location-worker", "eta-worker", "position-worker", "history-worker", "broadcast-worker",
    ]

    @Test(
        "docker-compose accepts the file",
        .enabled(if: Checkout.tool("docker-compose") != nil, "needs docker-compose; deploy/test installs it"))
    func composeIsValid() throws {
        let compose = try #require(Checkout.tool("docker-compose"))
        let result = try Checkout.run(compose, ["--profile", "demo", "-f", "docker-compose.yml", "config"])
        #expect(result.code == 0, "\(result.output)")
        for worker in Self.workers { #expect(result.output.contains("  \(worker):\n")) }
        #expect(result.output.contains("simulator:"))
        #expect(result.output.components(separatedBy: "stop_grace_period: 30s").count >= Self.workers.count + 1)
        #expect(!result.output.contains("container_name"), "--scale needs unnamed containers")
    }

    @Test(
        "every container of ours is confined, with the TLS overlay and without",
        .enabled(if: Checkout.tool("docker-compose") != nil, "needs docker-compose; deploy/test installs it"),
        arguments: [nil, "deploy/compose/tls.yml"])
    func containersAreConfined(overlay: String?) throws {
        let compose = try #require(Checkout.tool("docker-compose"))
        let files = ["docker-compose.yml"] + (overlay.map { [$0] } ?? [])
        let result = try Checkout.run(compose, ["--profile", "demo"] + files.flatMap { ["-f", $0] } + ["config"])
        #expect(result.code == 0, "\(result.output)")
        // A service's settings are indented by four blanks, its name by two.
        let services = result.output.split(separator: /\n(?=  [a-z-]+:\n)/).map(String.init)
        for name in Self.workers + ["topics", "migrate", "simulator"] {
            let service = try #require(services.first { $0.hasPrefix("  \(name):\n") }, "\(name)")
            for line in ["read_only: true", "user: '10001'", "cap_drop:\n    - ALL", "- no-new-privileges:true"] {
                #expect("\(service)\n".contains("    \(line)\n"), "\(name): \(line)")
            }
            #expect(!service.contains("privileged:"))
            #expect(service.contains("KAFKA_SECURITY_PROTOCOL: SASL_SSL") == (overlay != nil), "\(name)")
        }
    }

    @Test(
        "the scripts make every file that the TLS overlay reads",
        .enabled(if: Checkout.tool("openssl") != nil, "needs openssl"))
    func overlayHasItsFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for script in ["certificates", "secrets"] {
            let result = try Checkout.run(
                Checkout.root.appendingPathComponent("deploy/compose/\(script)"), [folder.path])
            #expect(result.code == 0, "\(result.output)")
        }
        let overlay = try Checkout.text("deploy/compose/tls.yml")
        let names = Set(overlay.matches(of: /\/tls\/([a-z-]+(\.[a-z]+)?)/).map { String($0.1) })
        #expect(names.count >= 10)
        for name in names {
            #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path), "\(name)")
        }
    }

    @Test("every worker of the compose file is an executable of the image")
    func imageHoldsEveryWorker() throws {
        let compose = try Checkout.text("docker-compose.yml")
        let dockerfile = try Checkout.text("deploy/Dockerfile")
        for worker in Self.workers {
            #expect(compose.contains("command: [\"\(worker)\"]"))
            #expect(dockerfile.contains(worker))
        }
    }

    @Test("the image is built from every folder that the package names")
    func imageHasEveryFolder() throws {
        let package = try Checkout.text("Package.swift")
        let paths = package.matches(of: /path: "([^"\/]+)/).map { String($0.1) } + ["Sources", "Tests"]
        let copied = try Checkout.text("deploy/Dockerfile").matches(of: /\nCOPY (\S+) \S+/).map { String($0.1) }
        #expect(paths.contains("Benchmarks"))
        for folder in Set(paths) { #expect(copied.contains(folder), "\(folder) is not copied into the image") }
    }

    @Test(
        "the Dockerfile passes the linter",
        .enabled(if: Checkout.tool("hadolint") != nil, "needs hadolint; deploy/test installs it on x86-64"))
    func dockerfileIsClean() throws {
        let hadolint = try #require(Checkout.tool("hadolint"))
        let result = try Checkout.run(hadolint, ["deploy/Dockerfile"])
        #expect(result.code == 0, "\(result.output)")
    }

    @Test(
        "the shell scripts pass shellcheck",
        .enabled(if: Checkout.tool("shellcheck") != nil, "needs shellcheck; deploy/test installs it"))
    func scriptsAreClean() throws {
        let shellcheck = try #require(Checkout.tool("shellcheck"))
        let local = try FileManager.default.contentsOfDirectory(
            atPath: Checkout.root.appendingPathComponent("deploy/local").path
        ).map { "deploy/local/\($0)" }
        let result = try Checkout.run(
            shellcheck,
            [
                "-x", "deploy/accuracy", "deploy/bench", "deploy/demo", "deploy/gate", "deploy/test",
                "deploy/compose/certificates", "deploy/compose/secrets", "deploy/postgres/embed", ".ci/run",
            ] + local)
        #expect(result.code == 0, "\(result.output)")
    }
}
