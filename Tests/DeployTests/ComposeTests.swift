import Foundation
import TestSupport
import Testing

@Suite("Compose files, Dockerfile and scripts", .blocking)
struct ComposeTests {
    static let workers = [
        "location-worker", "eta-worker", "position-worker", "history-worker", "broadcast-worker",
        "push-worker",
    ]
    static let gateways = ["rider-gateway", "driver-gateway"]
    static let services = workers + gateways
    /// Containers of our image other than workers and gateways: one-off jobs and the simulator.
    private static let otherContainers = ["topics", "migrate", "token-secret", "simulator", "audit"]

    @Test(
        "docker-compose accepts docker-compose.yml, which has exactly the expected services",
        .enabled(if: ComposeServices.isAvailable, ComposeServices.hint))
    func composeIsValid() throws {
        let services = try ComposeServices()
        #expect(Set(services.names) == Set(Self.services + Self.otherContainers + ["kafka", "redis", "postgres"]))
        for name in Self.services {
            #expect(try services[name].contains("command:\n    - \(name)\n"), "\(name)")
            #expect(try services[name].contains("    stop_grace_period: 30s\n"), "\(name)")
        }
        #expect(!services.text.contains("container_name"), "--scale does not work with container_name")
    }

    @Test(
        "every container of our image is unprivileged and read-only, in each combination of compose files",
        .enabled(if: ComposeServices.isAvailable, ComposeServices.hint),
        arguments: [
            ["docker-compose.yml"], ["docker-compose.yml", "deploy/compose/tls.yml"], ["deploy/compose/external.yml"],
        ])
    func containersAreConfined(files: [String]) throws {
        let services = try ComposeServices(files, environment: Self.external.merging(Self.tokenSecret) { $1 })
        // With external.yml, the token secret comes from the environment instead of a container.
        let isExternal = files == ["deploy/compose/external.yml"]
        for name in Self.services + Self.otherContainers where !(isExternal && name == "token-secret") {
            let service = try services[name]
            for line in ["read_only: true", "user: '10001'", "cap_drop:\n    - ALL", "- no-new-privileges:true"] {
                #expect(service.contains("    \(line)\n"), "\(name): \(line)")
            }
            #expect(!service.contains("privileged:"))
            let isSecured = files.contains("deploy/compose/tls.yml") && name != "token-secret"
            #expect(service.contains("KAFKA_SECURITY_PROTOCOL: SASL_SSL") == isSecured, "\(name)")
        }
    }

    /// Addresses that external.yml requires.
    private static let external = [
        "KAFKA_BOOTSTRAP_SERVERS": "kafka.example:9092", "REDIS_URL": "redis://redis.example:6379",
        "POSTGRES_URL": "postgresql://sightline@postgres.example:5432/sightline",
    ]
    private static let tokenSecret = ["SIGHTLINE_TOKEN_SECRET": "0123456789abcdef0123456789abcdef"]

    @Test(
        "external.yml starts no Kafka, Redis or Postgres, and requires their addresses and the token secret",
        .enabled(if: ComposeServices.isAvailable, ComposeServices.hint))
    func externalServices() throws {
        let required = Self.external.merging(Self.tokenSecret) { $1 }
        let services = try ComposeServices(["deploy/compose/external.yml"], environment: required)
        #expect(Set(services.names) == Set(Self.services + Self.otherContainers).subtracting(["token-secret"]))
        for name in services.names {
            for (key, value) in Self.external { #expect(try services[name].contains("\(key): \(value)\n"), "\(name)") }
            for (key, value) in Self.tokenSecret {
                #expect(try services[name].contains("\(key): \(value)\n") == Self.gateways.contains(name), "\(name)")
            }
        }
        let compose = try #require(Checkout.tool("docker-compose"))
        let environment = ProcessInfo.processInfo.environment.merging(required) { $1 }
        for key in required.keys {
            let result = try Checkout.run(
                compose, ["-f", "deploy/compose/external.yml", "config"],
                environment: environment.filter { $0.key != key })
            #expect(result.code != 0 && result.output.contains("set \(key)"), "\(key): \(result.output)")
        }
    }

    @Test(
        "long-running containers are restarted and have limits for memory and log size",
        .enabled(if: ComposeServices.isAvailable, ComposeServices.hint))
    func longRunningContainers() throws {
        let services = try ComposeServices()
        for name in Self.services + ["kafka", "redis", "postgres", "simulator"] {
            let service = try services[name]
            #expect(service.contains("    restart: unless-stopped\n"), "\(name)")
            #expect(service.contains("    mem_limit: "), "\(name)")
            #expect(service.contains("        max-size: "), "\(name)")
        }
        #expect(try services["kafka"].contains("KAFKA_HEAP_OPTS: "))
    }

    @Test(
        "Kafka's health check opens a TCP connection and starts no JVM",
        .enabled(if: ComposeServices.isAvailable, ComposeServices.hint),
        arguments: [["docker-compose.yml"], ["docker-compose.yml", "deploy/compose/tls.yml"]])
    func kafkaHealth(files: [String]) throws {
        let kafka = try ComposeServices(files)["kafka"]
        #expect(kafka.contains("/dev/tcp/127.0.0.1/9092"))
        #expect(!kafka.contains(".sh"), "Kafka's scripts start a JVM")
    }

    @Test(
        "only workers and gateways have the health check sightline health; topics and migrate wait",
        .enabled(if: ComposeServices.isAvailable, ComposeServices.hint))
    func workersHealth() throws {
        let services = try ComposeServices()
        for name in Self.services {
            let test = "      test:\n      - CMD\n      - sightline\n      - health\n"
            #expect(try services[name].contains(test), "\(name)")
        }
        for name in Self.otherContainers {
            #expect(try !services[name].contains("healthcheck"), "\(name)")
        }
        for name in ["topics", "migrate"] {
            #expect(try services[name].contains("    - --wait\n"), "\(name)")
        }
    }

    @Test("example.env contains every variable of the files that start our services, with its default")
    func exampleVariables() throws {
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
        "the TLS overlay mounts single files of the key folder and never the authority's key",
        .enabled(if: ComposeServices.isAvailable, ComposeServices.hint))
    func overlayMountsFiles() throws {
        let text = try ComposeServices(["docker-compose.yml", "deploy/compose/tls.yml"]).text
        let mounts = text.matches(of: /\/\.local\/tls([^:\s]*)/).map { String($0.1) }
        #expect(mounts.count >= 10)
        for mount in mounts { #expect(mount.contains(/^\/[a-z-]+(\.[a-z]+)?$/), "a folder is mounted: \(mount)") }
        #expect(!mounts.contains("/ca.key"))
    }

    @Test(
        "in the TLS overlay, the audit has its own Redis and Postgres users",
        .enabled(if: ComposeServices.isAvailable, ComposeServices.hint))
    func overlayAudit() throws {
        let audit = try ComposeServices(["docker-compose.yml", "deploy/compose/tls.yml"])["audit"]
        #expect(audit.contains("POSTGRES_URL_FILE: /run/secrets/audit-postgres-url\n"))
        #expect(audit.contains("REDIS_URL_FILE: /run/secrets/audit-redis-url\n"))
        #expect(audit.contains("    - audit\n"))
    }

    @Test(
        "the scripts certificates and secrets create every file that the TLS overlay reads",
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

    @Test(
        "passwords and the token secret have mode 640, even if the token secret already exists",
        .enabled(if: Checkout.tool("openssl") != nil, "needs openssl"))
    func secretFileModes() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func run(_ script: String) throws {
            let result = try Checkout.run(
                Checkout.root.appendingPathComponent("deploy/compose/\(script)"), [folder.path])
            #expect(result.code == 0, "\(result.output)")
        }
        try run("certificates")
        let existing = folder.appendingPathComponent("token-secret")
        try "0123456789abcdef0123456789abcdef".write(to: existing, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: existing.path)
        let before = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        try run("secrets")
        try run("secrets")
        #expect(try String(contentsOf: existing, encoding: .utf8) == "0123456789abcdef0123456789abcdef")
        let created = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)).subtracting(before)
        #expect(created.count > 15 && created.isSuperset(of: ["postgres-owner-password", "kafka-store.pem"]))
        for name in created.union(["token-secret"]) {
            let path = folder.appendingPathComponent(name).path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o640, "\(name)")
        }
    }

    @Test(
        "the TLS overlay ignores POSTGRES_PASSWORD and reads the database owner's password from a file")
    func overlayDatabaseOwner() throws {
        let overlay = try Checkout.text("deploy/compose/tls.yml")
        #expect(!overlay.contains("${POSTGRES_PASSWORD"))
        #expect(overlay.contains("export POSTGRES_PASSWORD=\"$$(cat /tls/postgres-owner-password)\""))
        guard ComposeServices.isAvailable else { return }
        let environment = ["POSTGRES_PASSWORD": "known"]
        let services = try ComposeServices(
            ["docker-compose.yml", "deploy/compose/tls.yml"], environment: environment)
        #expect(try services["postgres"].contains("      POSTGRES_PASSWORD: ''\n"))
        for name in ["postgres", "migrate", "history-worker", "audit"] {
            #expect(try !services[name].contains("known"), "\(name)")
        }
        for name in Self.services + ["kafka", "topics", "migrate", "audit"] {
            #expect(try services[name].contains("    group_add:\n    - '10001'\n"), "\(name)")
        }
        #expect(try services["migrate"].contains("POSTGRES_URL_FILE: /run/secrets/owner-postgres-url\n"))
    }

    @Test(
        "the gateways' ports are bound to BIND_ADDRESS, by default 127.0.0.1, and RIDER_PORT may be a range",
        .enabled(if: ComposeServices.isAvailable, ComposeServices.hint))
    func gatewayPorts() throws {
        #expect(try ComposeServices()["rider-gateway"].contains("    ports:\n    - 127.0.0.1:8080:8080/tcp\n"))
        let environment = ["BIND_ADDRESS": "0.0.0.0", "RIDER_PORT": "8080-8083"]
        let gateway = try ComposeServices(environment: environment)["rider-gateway"]
        #expect(gateway.contains("    - 0.0.0.0:8080-8083:8080/tcp\n"), "\(gateway)")
        #expect(try ComposeServices()["driver-gateway"].contains("    ports:\n    - 127.0.0.1:8081:8081/tcp\n"))
        // In the image, the gateways listen on all addresses of their containers.
        for name in ["RIDER", "DRIVER"] {
            #expect(try Checkout.text("deploy/Dockerfile").contains(" SIGHTLINE_\(name)_HOST=0.0.0.0 "))
        }
    }

    @Test(
        "the token secret is generated in a volume or comes from the user, never from the compose files",
        .enabled(if: ComposeServices.isAvailable, ComposeServices.hint))
    func tokenSecret() throws {
        let services = try ComposeServices()
        for gateway in try Self.gateways.map({ try services[$0] }) {
            #expect(gateway.contains("SIGHTLINE_TOKEN_SECRET_FILE: /var/lib/sightline/token-secret\n"))
            #expect(!gateway.contains("SIGHTLINE_TOKEN_SECRET:"))
            #expect(gateway.contains("    - token-secret:/var/lib/sightline:ro\n"))
        }
        let creator = try services["token-secret"]
        #expect(creator.contains("      SIGHTLINE_TOKEN_SECRET: ''\n"), "\(creator)")
        #expect(creator.contains("    - token-secret:/var/lib/sightline:rw\n"), "\(creator)")
        #expect(try Checkout.text("deploy/Dockerfile").contains("install -d -o 10001 -m 700 /var/lib/sightline\n"))
        let given = try ComposeServices(environment: Self.tokenSecret)["token-secret"]
        for (key, value) in Self.tokenSecret { #expect(given.contains("      \(key): \(value)\n"), "\(given)") }
        let secured = try ComposeServices(["docker-compose.yml", "deploy/compose/tls.yml"])
        for gateway in Self.gateways {
            #expect(try secured[gateway].contains("SIGHTLINE_TOKEN_SECRET_FILE: /run/secrets/token-secret\n"))
        }
    }

    @Test("the token-secret container stores the given secret, or generates one if none exists")
    func tokenSecretCommand() throws {
        let text = try Checkout.text("deploy/compose/programs.yml")
        let lines = try #require(text.firstMatch(of: /token-secret:\n(?:.*\n)*?      - >-\n((?:        .*\n)+)/)).1
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("secret-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The command as docker-compose passes it to the shell.
        let command = lines.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
            .replacingOccurrences(of: "$$", with: "$")
            .replacingOccurrences(of: "/var/lib/sightline", with: folder.path)
        // Substitute for sightline that prints its arguments. It is a link, because a program that was just written
        // cannot run while a process started by another test still has it open ("Text file busy").
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("sightline"), withDestinationURL: URL(fileURLWithPath: "/bin/echo"))
        let file = folder.appendingPathComponent("token-secret")
        func run(_ secret: String) throws -> String {
            let result = try Checkout.run(
                URL(fileURLWithPath: "/bin/sh"), ["-ec", command],
                environment: ["PATH": "\(folder.path):/usr/bin:/bin", "SIGHTLINE_TOKEN_SECRET": secret])
            #expect(result.code == 0, "\(result.output)")
            return try String(contentsOf: file, encoding: .utf8)
        }
        #expect(try run("") == "token --new-secret\n")
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try "kept".write(to: file, atomically: true, encoding: .utf8)
        #expect(try run("") == "kept")
        #expect(try run("mine") == "mine")
    }

    @Test("the Dockerfile copies every top-level folder with a target of Package.swift")
    func copiedFolders() throws {
        let package = try Checkout.text("Package.swift")
        let paths = package.matches(of: /path: "([^"\/]+)/).map { String($0.1) } + ["Sources", "Tests"]
        let copied = try Checkout.text("deploy/Dockerfile").matches(of: /\nCOPY (\S+) \S+/).map { String($0.1) }
        #expect(paths.contains("Tools"))
        for folder in Set(paths) { #expect(copied.contains(folder), "\(folder) is not copied into the image") }
    }

    @Test(
        "the Dockerfile passes hadolint",
        .enabled(if: Checkout.tool("hadolint") != nil, "needs hadolint; deploy/test installs it on x86-64"))
    func dockerfileLint() throws {
        let hadolint = try #require(Checkout.tool("hadolint"))
        let result = try Checkout.run(hadolint, ["deploy/Dockerfile"])
        #expect(result.code == 0, "\(result.output)")
    }

    @Test("no script pipes a program into head or grep -q, which with pipefail can fail a program that still writes")
    func pipesAreReadCompletely() throws {
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
    func shellcheckPasses() throws {
        let shellcheck = try #require(Checkout.tool("shellcheck"))
        let result = try Checkout.run(shellcheck, ["-x"] + Checkout.scripts())
        #expect(result.code == 0, "\(result.output)")
    }
}
