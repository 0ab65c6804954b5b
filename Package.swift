// swift-tools-version: 6.2
import PackageDescription

/// What a build is for, where it is not an ordinary one: `strict` (CI: warnings are errors), `sanitizers` (they answer
/// calls for memory themselves, so that no other allocator may be linked) or `fuzzing` (adds what `deploy/fuzz` builds).
let purpose = Context.environment["SIGHTLINE_BUILD"] ?? ""

let allocator: [Target.Dependency] =
    purpose == "sanitizers" ? [] : [.target(name: "CJemalloc", condition: .when(platforms: [.linux]))]

/// Replaces a function that the Kafka client library calls with nothing; the sanitizers have their own.
let kafkaGuard: [Target.Dependency] = purpose == "sanitizers" ? [] : ["CRdKafkaGuard"]

/// Counts what tests allocate.
let allocationCount: [Target.Dependency] = purpose == "sanitizers" ? [] : ["CAllocationCount"]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metricsCore: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let jwtKit: Target.Dependency = .product(name: "JWTKit", package: "jwt-kit")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let channels: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
]

/// What WebSockets beside HTTP take.
let sockets: [Target.Dependency] = [
    .product(name: "DequeModule", package: "swift-collections"),
    .product(name: "HummingbirdCore", package: "hummingbird"),
    .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
    .product(name: "NIOExtras", package: "swift-nio-extras"),
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
    .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
]

/// Transitive packages, with exact versions, because SwiftPM would otherwise resolve the newest.
let transitivePackages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-algorithms.git", exact: "1.2.1"),
    .package(url: "https://github.com/apple/swift-asn1.git", exact: "1.7.4"),
    .package(url: "https://github.com/apple/swift-async-algorithms.git", exact: "1.1.4"),
    .package(url: "https://github.com/apple/swift-atomics.git", exact: "1.3.0"),
    .package(url: "https://github.com/apple/swift-certificates.git", exact: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", exact: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-structured-headers.git", exact: "1.7.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio-http2.git", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-transport-services.git", exact: "1.28.0"),
    .package(url: "https://github.com/apple/swift-numerics.git", exact: "1.1.1"),
    .package(url: "https://github.com/apple/swift-service-context.git", exact: "1.5.1"),
    .package(url: "https://github.com/apple/swift-system.git", exact: "1.8.1"),
]

let package = Package(
    name: "sightline",
    products: [
        .executable(name: "location-worker", targets: ["LocationWorker"]),
        .executable(name: "eta-worker", targets: ["EtaWorker"]),
        .executable(name: "position-worker", targets: ["PositionWorker"]),
        .executable(name: "history-worker", targets: ["HistoryWorker"]),
        .executable(name: "broadcast-worker", targets: ["BroadcastWorker"]),
        .executable(name: "push-worker", targets: ["PushWorker"]),
        .executable(name: "rider-gateway", targets: ["RiderGateway"]),
        .executable(name: "driver-gateway", targets: ["DriverGateway"]),
        .executable(name: "sightline", targets: ["SightlineCLI"]),
        .executable(name: "core-benchmark", targets: ["CoreBenchmark"]),
        .executable(name: "chaos", targets: ["Chaos"]),
        // Preloaded into workers by `chaos`, to have their wall clock jump.
        .library(name: "chaos-clock", type: .dynamic, targets: ["ChaosClock"]),
        // Preloaded into workers by `sightline bench`, to count what they allocate.
        .library(name: "allocation-count", type: .dynamic, targets: ["CAllocationCount"]),
    ],
    // Exact versions, as a resolved file cannot be kept where packages come from mirrors; docs/dependencies.md.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        // What Hummingbird is made of, for the connections of the endpoint.
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
        // Checks the tokens of the gateways' clients.
        .package(url: "https://github.com/vapor/jwt-kit.git", exact: "5.7.1"),
        // Carries notifications to the push services by HTTP/2.
        .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
    ] + transitivePackages,
    targets: [
        // Clients of the services, and the C libraries below them, which only the clients and KafkaMock import.
        .systemLibrary(
            name: "CRdKafka", path: "Sources/Clients/CRdKafka", pkgConfig: "rdkafka",
            providers: [.apt(["librdkafka-dev"])]),
        .systemLibrary(
            name: "CHiredis", path: "Sources/Clients/CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/Clients/COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CPQ", path: "Sources/Clients/CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "CRdKafkaGuard", path: "Sources/Clients/CRdKafkaGuard"),
        .target(
            name: "Kafka", dependencies: ["Bytes", "CRdKafka", "Tracking"] + kafkaGuard, path: "Sources/Clients/Kafka"),
        .target(name: "Redis", dependencies: ["Bytes", "CHiredis", "COpenSSL"], path: "Sources/Clients/Redis"),
        .target(name: "Postgres", dependencies: ["Bytes", "CPQ"], path: "Sources/Clients/Postgres"),

        // The domain: pure, without a clock, a store or a message format.
        .target(name: "Bytes", path: "Sources/Domain/Bytes"),
        .target(name: "Tracking", dependencies: ["Bytes"], path: "Sources/Domain/Tracking"),

        // What stages and sinks have in common, the JSON of the topics, the stages, and the sinks.
        .target(name: "Pipeline", dependencies: ["Bytes", "Tracking"], path: "Sources/Pipeline/Pipeline"),
        .target(
            name: "CSimdJSON", path: "Sources/Pipeline/CSimdJSON",
            cxxSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))],
            linkerSettings: [.linkedLibrary("simdjson")]),
        .target(
            name: "Wire", dependencies: ["Bytes", "CSimdJSON", "Tracking", "Pipeline"], path: "Sources/Pipeline/Wire"),
        .target(
            name: "Stages", dependencies: ["Bytes", "Tracking", "Pipeline", "Wire"], path: "Sources/Pipeline/Stages"),
        .target(
            name: "Sinks", dependencies: ["Bytes", "Pipeline", "Wire", "Tracking", "Redis", "Postgres"],
            path: "Sources/Pipeline/Sinks",
            // The migrations.
            resources: [.embedInCode("History/Schema")]),
        .target(
            name: "Gateways", dependencies: ["Bytes", "Tracking", "Pipeline", "Wire"],
            path: "Sources/Pipeline/Gateways"),
        .target(
            name: "Notifications", dependencies: ["Bytes", "Pipeline", "Tracking", "Wire"],
            path: "Sources/Pipeline/Notifications"),

        // What runs a stage or a sink in a process.
        .target(name: "CJemalloc", path: "Sources/Runtime/CJemalloc", linkerSettings: [.linkedLibrary("jemalloc")]),
        .target(name: "CFatalSignal", path: "Sources/Runtime/CFatalSignal"),
        .target(
            name: "Telemetry", dependencies: ["Pipeline", logging, metricsCore], path: "Sources/Runtime/Telemetry"),
        .target(
            name: "Observability",
            dependencies: [
                "Bytes", "CFatalSignal", "Pipeline", "Telemetry", logging, metricsCore, lifecycle, hummingbird,
            ] + channels,
            path: "Sources/Runtime/Observability"),
        .target(
            name: "Settings", dependencies: ["Bytes", configuration, logging, "Tracking"],
            path: "Sources/Runtime/Settings"),
        .target(name: "Tokens", dependencies: ["Settings", "Tracking", jwtKit], path: "Sources/Runtime/Tokens"),
        .target(
            name: "Streaming",
            dependencies: ["Bytes", "Kafka", "Pipeline", "Telemetry", "Tracking", lifecycle, logging, metricsCore],
            path: "Sources/Runtime/Streaming"),
        .target(
            name: "PushDelivery",
            dependencies: [
                "Bytes", "Gateways", "Kafka", "Notifications", "Observability", "Pipeline", "Redis", "Sinks",
                "Streaming", "Telemetry", "Tracking", "Wire", httpClient, jwtKit, logging, metricsCore,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ], path: "Sources/Runtime/PushDelivery"),
        .target(
            name: "WorkerRuntime",
            dependencies: [
                "Bytes", "Kafka", "Streaming", "Observability", "Settings", "Telemetry", argumentParser, lifecycle,
                logging,
            ] + allocator, path: "Sources/Runtime/WorkerRuntime"),

        .target(
            name: "GatewayServer",
            dependencies: [
                "Bytes", "Gateways", "Kafka", "Notifications", "Observability", "Pipeline", "Redis", "Sinks",
                "Streaming", "Telemetry", "Tokens", "Tracking", "Wire", hummingbird, lifecycle, logging, metricsCore,
            ] + sockets, path: "Sources/Runtime/GatewayServer",
            exclude: [
                "Client/test", "Client/testing", "Client/README.md", "Client/package.json", "Client/sightline.d.ts",
            ],
            // The live map and the client module that it uses.
            resources: [.embedInCode("Web"), .embedInCode("Client/sightline.js"), .embedInCode("Client/sightline")]),

        // Programs. The commands of the sinks are apart, so that workers without a store do not load the stores' clients.
        .target(
            name: "StageCommands",
            dependencies: ["WorkerRuntime", "Stages", "Streaming", "Observability", argumentParser],
            path: "Sources/Programs/StageCommands"),
        .target(
            name: "SinkCommands",
            dependencies: [
                "WorkerRuntime", "Postgres", "Redis", "Sinks", "Streaming", "Settings", "Observability", argumentParser,
            ], path: "Sources/Programs/SinkCommands"),
        .target(
            name: "GatewayCommands",
            dependencies: [
                "WorkerRuntime", "GatewayServer", "Gateways", "Observability", "Settings", "SinkCommands", "Streaming",
                "Tokens",
                argumentParser,
            ], path: "Sources/Programs/GatewayCommands"),
        .target(
            name: "PushCommands",
            dependencies: [
                "WorkerRuntime", "Notifications", "Observability", "PushDelivery", "Redis", "Settings", "SinkCommands",
                "Streaming", argumentParser,
            ], path: "Sources/Programs/PushCommands"),
        .executableTarget(
            name: "LocationWorker", dependencies: ["StageCommands"], path: "Sources/Programs/LocationWorker"),
        .executableTarget(name: "EtaWorker", dependencies: ["StageCommands"], path: "Sources/Programs/EtaWorker"),
        .executableTarget(
            name: "BroadcastWorker", dependencies: ["StageCommands"], path: "Sources/Programs/BroadcastWorker"),
        .executableTarget(
            name: "PositionWorker", dependencies: ["SinkCommands"], path: "Sources/Programs/PositionWorker"),
        .executableTarget(
            name: "RiderGateway", dependencies: ["GatewayCommands"], path: "Sources/Programs/RiderGateway"),
        .executableTarget(
            name: "DriverGateway", dependencies: ["GatewayCommands"], path: "Sources/Programs/DriverGateway"),
        .executableTarget(
            name: "PushWorker", dependencies: ["PushCommands"], path: "Sources/Programs/PushWorker"),
        .executableTarget(
            name: "HistoryWorker", dependencies: ["SinkCommands"], path: "Sources/Programs/HistoryWorker"),
        .executableTarget(
            name: "SightlineCLI",
            dependencies: [
                "Bytes", "Kafka", "KafkaMock", "Redis", "Postgres", "Tracking", "Pipeline", "Wire", "Stages", "Sinks",
                "Simulation", "Recordings", "Evaluation", "Observability", "Settings", "Streaming", "Tokens",
                "WorkerRuntime", "StageCommands", "SinkCommands", "GatewayCommands", "PushCommands", "PushDelivery",
                "ChildProcesses",
                argumentParser,
                // The clients of `sightline bench gateway`.
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ], path: "Sources/Programs/SightlineCLI"),

        // What tests and measures all this: simulated and recorded drivers, a cluster in memory, counted allocations.
        .target(
            name: "Simulation", dependencies: ["Bytes", "Tracking", "Pipeline", "Wire"],
            path: "Sources/Proof/Simulation"),
        .target(
            name: "Recordings", dependencies: ["Bytes", "Pipeline", "Tracking", "Wire"],
            path: "Sources/Proof/Recordings"),
        .target(
            name: "Evaluation", dependencies: ["Recordings", "Simulation", "Tracking"],
            path: "Sources/Proof/Evaluation"),
        .target(
            name: "KafkaMock", dependencies: ["Bytes", "CRdKafka", "Kafka", "Tracking"],
            path: "Sources/Proof/KafkaMock"),
        .target(name: "CSpawn", path: "Sources/Proof/CSpawn"),
        .target(name: "ChildProcesses", dependencies: ["CSpawn"], path: "Sources/Proof/ChildProcesses"),
        .target(name: "CAllocationCount", path: "Sources/Proof/CAllocationCount"),
        .executableTarget(
            name: "CoreBenchmark",
            dependencies: [
                "Bytes", "CAllocationCount", "Pipeline", "Simulation", "Stages", "Tracking", "Wire", argumentParser,
            ], path: "Benchmarks/Core"),

        // Tests: a target per module, the deployment files, and everything together against real services.
        .testTarget(name: "BytesTests", dependencies: ["Bytes", "TestSupport"]),
        .testTarget(name: "PipelineTests", dependencies: ["Bytes", "Pipeline", "TestSupport", "Tracking"]),
        .testTarget(name: "TrackingTests", dependencies: ["Tracking", "TestSupport", "Evaluation", "Recordings"]),
        .testTarget(name: "WireTests", dependencies: ["Bytes", "Wire", "TestSupport", "Pipeline", "Tracking"]),
        .testTarget(
            name: "StagesTests",
            dependencies: ["Bytes", "Stages", "TestSupport", "Pipeline", "Simulation", "Tracking", "Wire"]
                + allocationCount),
        .testTarget(
            name: "GatewaysTests",
            dependencies: ["Bytes", "Gateways", "TestSupport", "Pipeline", "Tracking", "Wire"]),
        .testTarget(
            name: "NotificationsTests",
            dependencies: ["Bytes", "Notifications", "TestSupport", "Pipeline", "Tracking", "Wire"]),
        .testTarget(
            name: "PushDeliveryTests",
            dependencies: [
                "Notifications", "PushDelivery", "TestSupport", "Tracking", jwtKit,
            ]),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Bytes", "Simulation", "TestSupport", "Pipeline", "Tracking", "Wire"]),
        .target(name: "TestSupport", dependencies: ["ChildProcesses", logging], path: "Tests/TestSupport"),
        .testTarget(
            name: "KafkaTests", dependencies: ["Bytes", "Kafka", "TestSupport", "KafkaMock", "Tracking"] + kafkaGuard),
        .testTarget(name: "RedisTests", dependencies: ["Redis", "TestSupport"]),
        .testTarget(name: "PostgresTests", dependencies: ["Postgres", "TestSupport"]),
        .testTarget(
            name: "StreamingTests",
            dependencies: [
                "Bytes", "Streaming", "Telemetry", "TestSupport", "Kafka", "KafkaMock", "Pipeline", "Tracking", logging,
            ]),
        .testTarget(
            name: "WorkerRuntimeTests", dependencies: ["WorkerRuntime", "TestSupport", "Settings", lifecycle]),
        .testTarget(
            name: "ObservabilityTests",
            dependencies: [
                "Observability", "TestSupport", "Pipeline", "Telemetry", logging, metricsCore, lifecycle,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        .testTarget(name: "TelemetryTests", dependencies: ["Telemetry", "TestSupport", "Pipeline"]),
        .testTarget(
            name: "GatewayServerTests",
            dependencies: [
                "Bytes", "GatewayServer", "Gateways", "Kafka", "KafkaMock", "Observability", "Pipeline", "Redis",
                "Streaming", "Telemetry", "TestSupport", "Tokens", "Tracking", logging,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        .testTarget(name: "SettingsTests", dependencies: ["Settings", "TestSupport", logging, "Tracking"]),
        .testTarget(name: "TokensTests", dependencies: ["Settings", "TestSupport", "Tokens", "Tracking", jwtKit]),
        .testTarget(
            name: "SinksTests",
            dependencies: [
                "Bytes", "Sinks", "TestSupport", "Pipeline", "Postgres", "Redis", "Tracking", "Wire",
            ]),
        .testTarget(
            name: "RecordingsTests",
            dependencies: ["Bytes", "Recordings", "TestSupport", "Pipeline", "Tracking", "Wire"]),
        .testTarget(
            name: "EvaluationTests",
            dependencies: ["Evaluation", "TestSupport", "Recordings", "Simulation", "Tracking"]),
        .testTarget(
            name: "SightlineCLITests",
            dependencies: [
                "Bytes", "ChildProcesses", "SightlineCLI", "TestSupport", "Pipeline", "PushDelivery", "Recordings",
                "Redis",
                "Settings", "Simulation", "Sinks", "Stages", "Tokens", "Tracking", "Wire",
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        // Breaks a running pipeline on purpose: deploy/test chaos, deploy/soak.
        .target(name: "ChaosClock", path: "Tests/ChaosClock"),
        .executableTarget(
            name: "Chaos",
            dependencies: [
                "Bytes", "ChildProcesses", "Kafka", "Pipeline", "Observability", "TestSupport", "Tracking",
                argumentParser,
            ],
            path: "Tests/Chaos"),
        .testTarget(name: "ChaosTests", dependencies: ["Chaos", "TestSupport"]),
        .testTarget(name: "ChildProcessesTests", dependencies: ["ChildProcesses", "TestSupport"]),
        .testTarget(name: "DeployTests", dependencies: ["TestSupport"]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Bytes", "ChildProcesses", "TestSupport", "Kafka", "KafkaMock", "Redis", "Postgres", "Pipeline",
                "Tracking", "Wire", "Stages", "Sinks", "Settings", "Streaming", "Tokens", "Notifications", logging,
                jwtKit,
                // The stand-in of the push services.
                hummingbird, .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                // Run as processes, so they have to be built.
                "LocationWorker", "EtaWorker", "PositionWorker", "HistoryWorker", "BroadcastWorker", "RiderGateway",
                "DriverGateway", "PushWorker", "SightlineCLI",
            ]),
    ]
)

if purpose == "fuzzing" {
    // Linked with the fuzzer, which only instrumented code can be.
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"),
        .executableTarget(
            name: "Fuzz", dependencies: ["Bytes", "CFuzzer", "Pipeline", "Recordings", "Stages", "Tracking", "Wire"],
            path: "Tests/Fuzzing/Targets"),
    ]
}

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        // Without checks of exclusive access at run time, which cost a twelfth of the work per record; debug builds have
        // them, and the tests run on debug builds.
        .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
    ]
    // What computes most is optimized in debug builds too, because tests simulate days of driving; it keeps the checks of
    // overflow, bounds and exclusivity.
    if let path = target.path,
        ["Sources/Domain/", "Sources/Pipeline/", "Sources/Proof/"].contains(where: path.hasPrefix)
    {
        target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
    }
    if purpose == "strict" { target.swiftSettings?.append(.treatAllWarnings(as: .error)) }
}

/// The modules of this package that each target names itself; those for some platforms alone are left out.
let named = Dictionary(
    uniqueKeysWithValues: package.targets.map { target in
        let names = target.dependencies.compactMap { dependency -> String? in
            switch dependency {
            case .byNameItem(let name, nil), .targetItem(let name, nil): name
            default: nil
            }
        }
        return (target.name, Set(names))
    })

// SwiftPM compiles a module again when a module has changed that its target names, but not when the change is in one
// further below, whose types it may contain: it would link objects that disagree about the layout of a type. Therefore
// every target names all modules below it.
for target in package.targets {
    var below = named[target.name] ?? []
    var next = below
    while !next.isEmpty {
        next = Set(next.flatMap { named[$0] ?? [] }).subtracting(below)
        below.formUnion(next)
    }
    target.dependencies += below.subtracting(named[target.name] ?? []).sorted().map { .byName(name: $0) }
}
