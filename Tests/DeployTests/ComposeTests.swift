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
                "deploy/postgres/embed", ".ci/run",
            ] + local)
        #expect(result.code == 0, "\(result.output)")
    }
}
