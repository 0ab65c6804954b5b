// swift-tools-version: 6.2
import PackageDescription

/// What a build is for, where it is not an ordinary one: `strict` (CI: warnings are errors), `sanitizers` (they answer
/// calls for memory themselves, so that no other allocator may be linked) or `fuzzing` (adds what `deploy/fuzz` builds).
let purpose = Context.environment["SIGHTLINE_BUILD"] ?? ""

let allocator: [Target.Dependency] =
    purpose == "sanitizers" ? [] : [.target(name: "CJemalloc", condition: .when(platforms: [.linux]))]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metricsCore: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let channels: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
]

let package = Package(
    name: "sightline",
    products: [
        .executable(name: "location-worker", targets: ["LocationWorker"]),
        .executable(name: "eta-worker", targets: ["EtaWorker"]),
        .executable(name: "position-worker", targets: ["PositionWorker"]),
        .executable(name: "history-worker", targets: ["HistoryWorker"]),
        .executable(name: "broadcast-worker", targets: ["BroadcastWorker"]),
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
    ],
    targets: [
        // C libraries: a module map and a shim each, nothing else.
        .systemLibrary(name: "CRdKafka", pkgConfig: "rdkafka", providers: [.apt(["librdkafka-dev"])]),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "CAllocationCount"),
        .target(name: "CJemalloc", linkerSettings: [.linkedLibrary("jemalloc")]),
        .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),

        // Clients: the only importers of the C modules.
        .target(name: "Kafka", dependencies: ["Bytes", "CRdKafka", "Pipeline", "Tracking"]),
        // A cluster in memory: for faults in tests, and to measure latency without a broker's own.
        .target(name: "KafkaMock", dependencies: ["Bytes", "CRdKafka", "Kafka", "Pipeline", "Tracking"]),
        .target(name: "Redis", dependencies: ["Bytes", "CHiredis", "COpenSSL"]),
        .target(name: "Postgres", dependencies: ["Bytes", "CPQ"]),

        // The pure core.
        .target(name: "Bytes"),
        .target(name: "Tracking"),
        .target(name: "Pipeline", dependencies: ["Bytes", "Tracking"]),
        .target(name: "Wire", dependencies: ["Bytes", "CSimdJSON", "Tracking", "Pipeline"]),
        .target(name: "Stages", dependencies: ["Bytes", "Tracking", "Pipeline", "Wire"]),

        // The shell.
        .target(name: "Telemetry", dependencies: ["Pipeline", logging, metricsCore]),
        .target(
            name: "Observability",
            dependencies: ["Bytes", "Pipeline", "Telemetry", logging, metricsCore, lifecycle, hummingbird] + channels),
        .target(name: "Settings", dependencies: ["Bytes", configuration, logging, "Tracking"]),
        .target(
            name: "Streaming",
            dependencies: ["Bytes", "Kafka", "Pipeline", "Telemetry", "Tracking", lifecycle, logging, metricsCore]),
        .target(
            name: "Sinks", dependencies: ["Bytes", "Pipeline", "Wire", "Tracking", "Redis", "Postgres", "Settings"]),
        .target(
            name: "WorkerRuntime",
            dependencies: [
                "Bytes",
                "Kafka", "Pipeline", "Streaming", "Stages", "Observability", "Settings", "Telemetry", argumentParser,
                lifecycle, logging,
            ] + allocator),
        // Apart, so that workers without a store do not load the stores' clients.
        .target(
            name: "SinkCommands",
            dependencies: [
                "WorkerRuntime", "Redis", "Sinks", "Streaming", "Settings", "Observability", argumentParser, lifecycle,
            ]),
        .target(name: "Simulation", dependencies: ["Bytes", "Tracking", "Pipeline", "Wire"]),

        // Measuring how right the core is, on recordings and simulations.
        .target(name: "Recordings", dependencies: ["Bytes", "Pipeline", "Tracking", "Wire"]),
        .target(name: "Evaluation", dependencies: ["Recordings", "Simulation", "Tracking"]),

        .executableTarget(name: "LocationWorker", dependencies: ["WorkerRuntime", argumentParser]),
        .executableTarget(name: "EtaWorker", dependencies: ["WorkerRuntime", argumentParser]),
        .executableTarget(name: "PositionWorker", dependencies: ["SinkCommands", argumentParser]),
        .executableTarget(name: "HistoryWorker", dependencies: ["SinkCommands", argumentParser]),
        .executableTarget(name: "BroadcastWorker", dependencies: ["WorkerRuntime", argumentParser]),
        .executableTarget(
            name: "SightlineCLI",
            dependencies: [
                "Bytes",
                "Kafka", "KafkaMock", "Redis", "Postgres", "Tracking", "Pipeline", "Wire", "Stages", "Sinks",
                "Simulation", "Recordings", "Evaluation", "Observability", "Settings", "Streaming", "WorkerRuntime",
                "SinkCommands", argumentParser,
            ]),

        .executableTarget(
            name: "CoreBenchmark",
            dependencies: [
                "Bytes",
                "CAllocationCount", "Pipeline", "Simulation", "Stages", "Tracking", "Wire", argumentParser,
            ],
            path: "Benchmarks/Core"),

        // Tests: a target per module, the deployment files, and everything together against real services.
        .testTarget(name: "BytesTests", dependencies: ["Bytes", "TestSupport"]),
        .testTarget(name: "PipelineTests", dependencies: ["Bytes", "Pipeline", "TestSupport", "Tracking"]),
        .testTarget(name: "TrackingTests", dependencies: ["Tracking", "TestSupport", "Evaluation", "Recordings"]),
        .testTarget(name: "WireTests", dependencies: ["Bytes", "Wire", "TestSupport", "Pipeline", "Tracking"]),
        .testTarget(
            name: "StagesTests",
            dependencies: ["Bytes", "Stages", "TestSupport", "Pipeline", "Simulation", "Tracking", "Wire"]),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Bytes", "Simulation", "TestSupport", "Pipeline", "Tracking", "Wire"]),
        .target(name: "TestSupport", dependencies: [logging], path: "Tests/TestSupport"),
        .testTarget(
            name: "KafkaTests", dependencies: ["Bytes", "Kafka", "TestSupport", "KafkaMock", "Pipeline", "Tracking"]),
        .testTarget(name: "RedisTests", dependencies: ["Redis", "TestSupport"]),
        .testTarget(name: "PostgresTests", dependencies: ["Postgres", "TestSupport"]),
        .testTarget(
            name: "StreamingTests",
            dependencies: ["Bytes", "Streaming", "TestSupport", "Kafka", "KafkaMock", "Pipeline", "Tracking", logging]),
        .testTarget(name: "WorkerRuntimeTests", dependencies: ["WorkerRuntime", "TestSupport", "Settings"]),
        .testTarget(
            name: "ObservabilityTests",
            dependencies: ["Observability", "TestSupport", "Pipeline", "Telemetry", logging, metricsCore, lifecycle]),
        .testTarget(name: "TelemetryTests", dependencies: ["Telemetry", "TestSupport", "Pipeline"]),
        .testTarget(name: "SettingsTests", dependencies: ["Settings", "TestSupport", logging, "Tracking"]),
        .testTarget(
            name: "SinksTests",
            dependencies: [
                "Bytes", "Sinks", "TestSupport", "Pipeline", "Postgres", "Redis", "Settings", "Tracking", "Wire",
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
                "Bytes",
                "SightlineCLI", "TestSupport", "Pipeline", "Recordings", "Redis", "Simulation", "Sinks", "Stages",
                "Tracking", "Wire",
            ]),
        // Breaks a running pipeline on purpose: deploy/test chaos, deploy/soak.
        .target(name: "ChaosClock", path: "Tests/ChaosClock"),
        .executableTarget(
            name: "Chaos",
            dependencies: ["Bytes", "Kafka", "Pipeline", "Observability", "TestSupport", "Tracking", argumentParser],
            path: "Tests/Chaos"),
        .testTarget(name: "ChaosTests", dependencies: ["Chaos", "TestSupport"]),
        .testTarget(name: "DeployTests", dependencies: ["TestSupport"]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Bytes",
                "TestSupport", "Kafka", "KafkaMock", "Redis", "Postgres", "Pipeline", "Tracking", "Wire", "Sinks",
                "Streaming", logging,
                // Run as processes, so they have to be built.
                "LocationWorker", "EtaWorker", "PositionWorker", "HistoryWorker", "BroadcastWorker", "SightlineCLI",
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
    target.swiftSettings = [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]
    if purpose == "strict" { target.swiftSettings?.append(.treatAllWarnings(as: .error)) }
}
