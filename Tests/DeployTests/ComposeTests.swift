import Foundation
import TestSupport
import Testing

@Suite("Deployment files", .blocking)
struct ComposeTests {
    static let workers = [
        "location-worker", "eta-worker", "position-worker", "history-worker", "broadcast-worker",
    ]

    @Test(
        "docker-compose accepts the file", .enabled(if: ComposeServices.isPossible, ComposeServices.hint))
    func composeIsValid() throws {
        let services = try ComposeServices()
        #expect(Set(services.names).isSuperset(of: Self.workers + ["kafka", "redis", "postgres", "simulator"]))
        for worker in Self.workers {
            #expect(try services[worker].contains("command:\n    - \(worker)\n"), "\(worker)")
            #expect(try services[worker].contains("    stop_grace_period: 30s\n"), "\(worker)")
        }
        #expect(!services.text.contains("container_name"), "--scale needs unnamed containers")
    }

    @Test(
        "every container of ours is confined, with the TLS overlay, with external services and without",
        .enabled(if: ComposeServices.isPossible, ComposeServices.hint),
        arguments: [
            ["docker-compose.yml"], ["docker-compose.yml", "deploy/compose/tls.yml"], ["deploy/compose/external.yml"],
        ])
    func containersAreConfined(files: [String]) throws {
        let services = try ComposeServices(files, environment: Self.external)
        for name in Self.workers + ["topics", "migrate", "simulator", "audit"] {
            let service = try services[name]
            for line in ["read_only: true", "user: '10001'", "cap_drop:\n    - ALL", "- no-new-privileges:true"] {
                #expect(service.contains("    \(line)\n"), "\(name): \(line)")
            }
            #expect(!service.contains("privileged:"))
            #expect(
                service.contains("KAFKA_SECURITY_PROTOCOL: SASL_SSL") == files.contains("deploy/compose/tls.yml"),
                "\(name)")
        }
    }

    /// What external.yml has to be told.
    private static let external = [
        "KAFKA_BOOTSTRAP_SERVERS": "kafka.example:9092", "REDIS_URL": "redis://redis.example:6379",
        "POSTGRES_URL": "postgresql://sightline@postgres.example:5432/sightline",
    ]

    @Test(
        "external.yml starts none of the services and needs to be told where they are",
        .enabled(if: ComposeServices.isPossible, ComposeServices.hint))
    func externalServices() throws {
        let services = try ComposeServices(["deploy/compose/external.yml"], environment: Self.external)
        #expect(Set(services.names) == Set(Self.workers + ["topics", "migrate", "simulator", "audit"]))
        for name in services.names {
            for (key, value) in Self.external { #expect(try services[name].contains("\(key): \(value)\n"), "\(name)") }
        }
        let compose = try #require(Checkout.tool("docker-compose"))
        let environment = ProcessInfo.processInfo.environment.merging(Self.external) { $1 }
        for key in Self.external.keys {
            let result = try Checkout.run(
                compose, ["-f", "deploy/compose/external.yml", "config"],
                environment: environment.filter { $0.key != key })
            #expect(result.code != 0 && result.output.contains("set \(key)"), "\(key): \(result.output)")
        }
    }

    @Test(
        "what stays up is restarted, has a limit of memory, and logs that do not grow for ever",
        .enabled(if: ComposeServices.isPossible, ComposeServices.hint))
    func servicesStayUp() throws {
        let services = try ComposeServices()
        for name in Self.workers + ["kafka", "redis", "postgres", "simulator"] {
            let service = try services[name]
            #expect(service.contains("    restart: unless-stopped\n"), "\(name)")
            #expect(service.contains("    mem_limit: "), "\(name)")
            #expect(service.contains("        max-size: "), "\(name)")
        }
        #expect(try services["kafka"].contains("KAFKA_HEAP_OPTS: "))
    }

    @Test(
        "Kafka's health is a TCP connection, for which no Java machine starts",
        .enabled(if: ComposeServices.isPossible, ComposeServices.hint),
        arguments: [["docker-compose.yml"], ["docker-compose.yml", "deploy/compose/tls.yml"]])
    func kafkaHealth(files: [String]) throws {
        let kafka = try ComposeServices(files)["kafka"]
        #expect(kafka.contains("/dev/tcp/127.0.0.1/9092"))
        #expect(!kafka.contains(".sh"), "the scripts of Kafka start a Java machine each")
    }

    @Test(
        "the health of every worker is asked by the image's own program; the rest of our programs have none",
        .enabled(if: ComposeServices.isPossible, ComposeServices.hint))
    func workersHealth() throws {
        let services = try ComposeServices()
        for worker in Self.workers {
            let test = "      test:\n      - CMD\n      - sightline\n      - health\n"
            #expect(try services[worker].contains(test), "\(worker)")
        }
        for name in ["topics", "migrate", "simulator", "audit"] {
            #expect(try !services[name].contains("healthcheck"), "\(name)")
        }
        for name in ["topics", "migrate"] {
            #expect(try services[name].contains("    - --wait\n"), "\(name)")
        }
    }

    @Test("every variable of the compose files stands in example.env, with its default")
    func variables() throws {
        let example = try Checkout.text("deploy/compose/example.env").split(separator: "\n").map(String.init)
        var count = 0
        for file in ["docker-compose.yml", "deploy/compose/programs.yml", "deploy/compose/tls.yml"] {
            for match in try Checkout.text(file).matches(of: /\$\{([A-Z_]+)(?::-([^}]*))?\}/) {
                let line = "# \(match.1)=\(match.2.map(String.init) ?? "")"
                #expect(example.contains(line), "\(file): \(line)")
                count += 1
            }
        }
        #expect(count > 10)
    }

    @Test(
        "the TLS overlay mounts single files of the folder of keys, and never the authority's key",
        .enabled(if: ComposeServices.isPossible, ComposeServices.hint))
    func overlayMountsFiles() throws {
        let text = try ComposeServices(["docker-compose.yml", "deploy/compose/tls.yml"]).text
        let mounts = text.matches(of: /\/\.local\/tls([^:\s]*)/).map { String($0.1) }
        #expect(mounts.count >= 10)
        for mount in mounts { #expect(mount.contains(/^\/[a-z-]+(\.[a-z]+)?$/), "a folder is mounted: \(mount)") }
        #expect(!mounts.contains("/ca.key"))
    }

    @Test(
        "in the TLS overlay the audit asks Redis and Postgres as users of its own",
        .enabled(if: ComposeServices.isPossible, ComposeServices.hint))
    func overlayAudit() throws {
        let audit = try ComposeServices(["docker-compose.yml", "deploy/compose/tls.yml"])["audit"]
        #expect(audit.contains("POSTGRES_URL_FILE: /run/secrets/audit-postgres-url\n"))
        #expect(audit.contains("REDIS_URL_FILE: /run/secrets/audit-redis-url\n"))
        #expect(audit.contains("    - audit\n"))
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
        let names = Set(overlay.matches(of: /local\/tls\}?\/([a-z-]+(\.[a-z]+)?)/).map { String($0.1) })
        #expect(names.count >= 10)
        for name in names {
            #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path), "\(name)")
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

    @Test("no script reads the first lines of a command alone: with pipefail, that fails when the command is slower")
    func wholePipes() throws {
        for script in try Checkout.scripts() {
            for line in try Checkout.text(script).split(separator: "\n")
            where line.contains(/\| *(head|grep -q|grep --quiet)\b/) {
                #expect(
                    line.contains("|| true") || line.contains("printf ") || line.contains("echo "), "\(script): \(line)"
                )
            }
        }
    }

    @Test(
        "the shell scripts pass shellcheck",
        .enabled(if: Checkout.tool("shellcheck") != nil, "needs shellcheck; deploy/test installs it"))
    func scriptsAreClean() throws {
        let shellcheck = try #require(Checkout.tool("shellcheck"))
        let result = try Checkout.run(
            shellcheck,
            ["-x"] + Checkout.scripts())
        #expect(result.code == 0, "\(result.output)")
    }
}
