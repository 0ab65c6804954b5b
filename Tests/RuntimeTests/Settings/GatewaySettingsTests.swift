import Testing

@testable import Runtime

@Suite("Settings of gateways and tokens")
struct GatewaySettingsTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    @Test("settings of rider-gateway are read into their properties")
    func values() throws {
        let settings = try Settings(
            for: .riderGateway,
            environment: [
                "SIGHTLINE_RIDER_HOST": "::", "SIGHTLINE_RIDER_PORT": "0", "SIGHTLINE_TOKEN_SECRET": Self.secret,
                "SIGHTLINE_TOKEN_JWKS_FILE": #filePath, "SIGHTLINE_TOKEN_ISSUER": "https://issuer.test",
                "SIGHTLINE_TOKEN_AUDIENCE": "riders", "SIGHTLINE_HTTP_PORT": "1", "REDIS_URL": "redis://h:1",
                "KAFKA_BOOTSTRAP_SERVERS": "k:1", "SIGHTLINE_REDIS_PREFIX": "blue:",
                "SIGHTLINE_SHUTDOWN_TIMEOUT_MS": "5000",
                "SIGHTLINE_RIDER_ORIGINS": "https://a.example,http://b:8080", "SIGHTLINE_NEAREST_DRIVERS": "all",
                "SIGHTLINE_RIDER_RATE": "0", "SIGHTLINE_RIDER_ADDRESS_RATE": "7",
                "SIGHTLINE_RIDER_ADDRESS_HEADER": "X-Forwarded-For", "SIGHTLINE_RIDER_CONNECTIONS": "9",
                "SIGHTLINE_RIDER_USER_CONNECTIONS": "0",
            ])
        #expect(settings.gateway.rider.connections == 9 && settings.gateway.rider.userConnections == 0)
        #expect(settings.gateway.rider.rate == 0 && settings.gateway.rider.addressRate == 7)
        #expect(settings.gateway.rider.addressHeader == "X-Forwarded-For")
        #expect(settings.gateway.riderOrigins == ["https://a.example", "http://b:8080"])
        #expect(settings.redis.nearestDrivers == .all)
        #expect(settings.gateway.rider.host == "::" && settings.gateway.rider.port == 0)
        #expect(settings.gateway.tokens.secret?.reveal() == Self.secret)
        #expect(settings.gateway.tokens.jwksFile == #filePath)
        #expect(settings.gateway.tokens.issuer == "https://issuer.test")
        #expect(settings.gateway.tokens.audience == "riders")
        #expect(settings.endpoint.port == 1 && settings.redis.url.reveal() == "redis://h:1")
        #expect(settings.kafka.bootstrapServers == "k:1" && settings.kafka.clientID == "rider-gateway")
        #expect(settings.redis.keyPrefix == "blue:")
        #expect(settings.worker.shutdownTimeout == .seconds(5))
    }

    @Test("without variables, rider-gateway has its default settings")
    func defaults() throws {
        let settings = try Settings(for: .riderGateway, environment: [:])
        #expect(settings.gateway.rider.host == "127.0.0.1" && settings.gateway.rider.port == 8080)
        #expect(settings.endpoint.port == 9106 && settings.gateway.riderOrigins.isEmpty)
        #expect(settings.gateway.rider.rate == 5 && settings.gateway.rider.addressRate == 1000)
        #expect(settings.gateway.rider.addressHeader == nil)
        #expect(settings.gateway.rider.connections == 50_000 && settings.gateway.rider.userConnections == 16)
        let tokens = settings.gateway.tokens
        #expect(tokens.secret == nil && tokens.jwksFile == nil && tokens.issuer == nil && tokens.audience == nil)
    }

    @Test("settings of driver-gateway are read into their properties")
    func driverValues() throws {
        let settings = try Settings(
            for: .driverGateway,
            environment: [
                "SIGHTLINE_DRIVER_HOST": "::", "SIGHTLINE_DRIVER_PORT": "0", "SIGHTLINE_DRIVER_RATE": "1",
                "SIGHTLINE_DRIVER_ADDRESS_RATE": "0", "SIGHTLINE_DRIVER_ADDRESS_HEADER": "X-Forwarded-For",
                "SIGHTLINE_DRIVER_CONNECTIONS": "7", "SIGHTLINE_DRIVER_USER_CONNECTIONS": "2",
            ])
        #expect(settings.gateway.driver.connections == 7 && settings.gateway.driver.userConnections == 2)
        #expect(settings.gateway.driver.host == "::" && settings.gateway.driver.port == 0)
        #expect(settings.gateway.driver.rate == 1 && settings.gateway.driver.addressRate == 0)
        #expect(settings.gateway.driver.addressHeader == "X-Forwarded-For")
        #expect(settings.kafka.clientID == "driver-gateway")
    }

    @Test("without variables, driver-gateway has its default settings")
    func driverDefaults() throws {
        let settings = try Settings(for: .driverGateway, environment: [:])
        #expect(settings.gateway.driver.host == "127.0.0.1" && settings.gateway.driver.port == 8081)
        #expect(settings.gateway.driver.rate == 10 && settings.gateway.driver.addressRate == 1000)
        #expect(settings.gateway.driver.addressHeader == nil && settings.endpoint.port == 9107)
        #expect(settings.gateway.driver.connections == 50_000 && settings.gateway.driver.userConnections == 16)
        let keys = settings.effective.map(\.key)
        #expect(keys.contains("REDIS_URL") && !keys.contains("SIGHTLINE_NEAREST_DRIVERS"), "Redis stores trip requests")
    }

    @Test("invalid rates, headers and connection limits are problems")
    func invalidLimits() {
        for (key, value) in [
            ("SIGHTLINE_DRIVER_RATE", "0"), ("SIGHTLINE_DRIVER_RATE", "10001"),
            ("SIGHTLINE_DRIVER_ADDRESS_RATE", "-1"), ("SIGHTLINE_DRIVER_ADDRESS_RATE", "200001"),
            ("SIGHTLINE_DRIVER_ADDRESS_HEADER", "X Y"), ("SIGHTLINE_DRIVER_CONNECTIONS", "0"),
            ("SIGHTLINE_DRIVER_CONNECTIONS", "1000001"), ("SIGHTLINE_DRIVER_USER_CONNECTIONS", "-1"),
            ("SIGHTLINE_DRIVER_USER_CONNECTIONS", "10001"),
        ] {
            #expect(SettingsReadingTests.problems(.driverGateway, [key: value]).map(\.keys) == [[key]], "\(value)")
        }
        // Above an address rate of 50,000, the burst of 20 times the rate would exceed the maximum of 1,000,000.
        for (key, value) in [
            ("SIGHTLINE_RIDER_RATE", "-1"), ("SIGHTLINE_RIDER_RATE", "10001"),
            ("SIGHTLINE_RIDER_ADDRESS_RATE", "50001"),
            ("SIGHTLINE_RIDER_ADDRESS_HEADER", "X Y"), ("SIGHTLINE_RIDER_CONNECTIONS", "0"),
            ("SIGHTLINE_RIDER_CONNECTIONS", "1000001"), ("SIGHTLINE_RIDER_USER_CONNECTIONS", "-1"),
            ("SIGHTLINE_RIDER_USER_CONNECTIONS", "10001"),
        ] {
            #expect(SettingsReadingTests.problems(.riderGateway, [key: value]).map(\.keys) == [[key]], "\(value)")
        }
    }

    @Test(
        "a short secret is a problem that does not show the secret", arguments: ["hunter2", " a b "])
    func shortSecret(secret: String) {
        for program in [Program.riderGateway, .commandLine] {
            let problems = SettingsReadingTests.problems(program, ["SIGHTLINE_TOKEN_SECRET": secret])
            #expect(
                problems.map(\.description) == [
                    "SIGHTLINE_TOKEN_SECRET=****: must be 32 to 1024 bytes without control characters, such as "
                        + "what `sightline token --new-secret` prints."
                ])
        }
        #expect(SettingsReadingTests.problems(.locationWorker, ["SIGHTLINE_TOKEN_SECRET": secret]).isEmpty)
    }

    @Test("the secret can be read from a file and is masked")
    func secretFile() throws {
        try SecretTests.withFile("\(Self.secret)\n") { path in
            let settings = try Settings(for: .riderGateway, environment: ["SIGHTLINE_TOKEN_SECRET_FILE": path])
            #expect(settings.gateway.tokens.secret?.reveal() == Self.secret)
            var text = "\(settings)\n\(settings.effective)"
            dump(settings, to: &text)
            #expect(!text.contains(Self.secret))
            #expect(text.contains("SIGHTLINE_TOKEN_SECRET=**** (from \(path))"))
        }
    }

    @Test("a missing key file is a problem")
    func missingFile() {
        let problems = SettingsReadingTests.problems(.riderGateway, ["SIGHTLINE_TOKEN_JWKS_FILE": "/no/such/file"])
        #expect(problems.map(\.keys) == [["SIGHTLINE_TOKEN_JWKS_FILE"]])
    }

    @Test("rider-gateway reads shared settings, but no settings that only workers read")
    func sharedSettings() throws {
        let keys = Set(try Settings(for: .riderGateway, environment: [:]).effective.map(\.key))
        for key in [
            "KAFKA_SESSION_TIMEOUT_MS", "KAFKA_MAX_POLL_INTERVAL_MS", "KAFKA_LINGER_MS", "SIGHTLINE_BATCH_RECORDS",
            "SIGHTLINE_POLL_WAIT_MS", "SIGHTLINE_DRAIN_TIMEOUT_MS", "SIGHTLINE_SINK_BATCH_RECORDS",
            "SIGHTLINE_SINK_BATCH_WAIT_MS", "SIGHTLINE_RETRY_MIN_MS", "SIGHTLINE_RETRY_MAX_MS",
            "SIGHTLINE_MAX_SPEED_MPS",
            "POSTGRES_URL",
        ] { #expect(!keys.contains(key), "\(key)") }
        for key in [
            "SIGHTLINE_HTTP_HOST", "SIGHTLINE_HTTP_PORT", "LOG_LEVEL", "SIGHTLINE_SHUTDOWN_TIMEOUT_MS",
            "SIGHTLINE_STUCK_AFTER_MS", "KAFKA_BOOTSTRAP_SERVERS",
            "KAFKA_SASL_PASSWORD", "SIGHTLINE_TOPIC_PREFIX", "REDIS_URL", "REDIS_SSL_CA_LOCATION",
        ] { #expect(keys.contains(key), "\(key)") }
    }

    @Test("every program is exactly one of processor, sink, gateway and command line")
    func programKinds() {
        for program in Program.allCases {
            let kinds = [Set<Program>.processors, .sinks, .gateways, [.commandLine]].filter { $0.contains(program) }
            #expect(kinds.count == 1, "\(program)")
        }
        #expect(Set<Program>.services == Set<Program>.everything.subtracting([.commandLine]))
    }
}
