// swift-tools-version: 6.2
import PackageDescription

/// Warnings fail the build in CI; elsewhere they stay warnings, so that a newer compiler does not lock anybody out.
let strict: [SwiftSetting] = Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]
/// Checking at run time that nobody else writes to a property meanwhile costs a twelfth of the work per record; debug
/// builds, which the tests run, check it.
let quick: [SwiftSetting] = [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]
let settings: [SwiftSetting] =
    [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")] + strict + quick

/// Sanitizers answer calls for memory themselves, so nobody else may: `deploy/test sanitize` says which one it builds
/// for.
let allocator: [Target.Dependency] =
    Context.environment["SIGHTLINE_SANITIZER"] == nil
    ? [.target(name: "CJemalloc", condition: .when(platforms: [.linux]))] : []

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metricsCore: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let channels: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
]

/// A library target of ours, under Sources/<name>.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// An executable target of ours, under Sources/<name>.
func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies + [argumentParser], swiftSettings: settings)
}

/// The tests of one room, under Tests/<name>Tests.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies, swiftSettings: settings
    )
}

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
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        // What Hummingbird is made of, for the connections of the endpoint.
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
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
        room("Kafka", ["CRdKafka", "Bytes", "Pipeline", "Tracking"]),
        // A cluster in memory: for faults in tests, and to measure latency without a broker's own.
        room("KafkaMock", ["CRdKafka", "Bytes", "Kafka", "Tracking"]),
        room("Redis", ["CHiredis", "COpenSSL", "Bytes"]),
        room("Postgres", ["CPQ", "Bytes"]),

        // The pure core.
        room("Bytes"),
        room("Tracking"),
        room("Pipeline", ["Bytes", "Tracking"]),
        room("Wire", ["CSimdJSON", "Bytes", "Tracking", "Pipeline"]),
        room("Stages", ["Bytes", "Tracking", "Pipeline", "Wire"]),

        // The shell.
        room("Observability", ["Bytes", logging, metricsCore, lifecycle, hummingbird] + channels),
        room("Settings", [configuration, logging, "Bytes", "Tracking"]),
        room("Streaming", ["Bytes", "Kafka", "Pipeline", "Tracking", lifecycle, logging, metricsCore]),
        room("Sinks", ["Bytes", "Pipeline", "Wire", "Tracking", "Redis", "Postgres", "Settings"]),
        room(
            "WorkerRuntime",
            [
                "Bytes", "Kafka", "Streaming", "Stages", "Observability", "Settings", argumentParser, lifecycle,
                logging,
            ] + allocator),
        // Apart, so that workers without a store do not load the stores' clients.
        room(
            "SinkCommands",
            ["WorkerRuntime", "Redis", "Sinks", "Streaming", "Settings", "Observability", argumentParser, lifecycle]),
        room("Simulation", ["Bytes", "Tracking", "Wire"]),

        // Measuring how right the core is, on recordings and simulations.
        room("Recordings", ["Bytes", "Tracking", "Wire"]),
        room("Evaluation", ["Recordings", "Simulation", "Tracking"]),

        program("LocationWorker", ["WorkerRuntime"]),
        program("EtaWorker", ["WorkerRuntime"]),
        program("PositionWorker", ["SinkCommands"]),
        program("HistoryWorker", ["SinkCommands"]),
        program("BroadcastWorker", ["WorkerRuntime"]),
        program(
            "SightlineCLI",
            [
                "Bytes", "Kafka", "KafkaMock", "Redis", "Postgres", "Tracking", "Pipeline", "Wire", "Stages", "Sinks",
                "Simulation", "Recordings", "Evaluation", "Observability", "Settings", "Streaming", "WorkerRuntime",
                "SinkCommands",
            ]),

        .executableTarget(
            name: "CoreBenchmark",
            dependencies: [
                "CAllocationCount", "Bytes", "Pipeline", "Simulation", "Stages", "Tracking", "Wire", argumentParser,
            ],
            path: "Benchmarks/Core", swiftSettings: settings),

        // Tests: a target per room, the deployment files, and everything together against real services.
        tests("Bytes"),
        tests("Pipeline", ["Bytes", "Tracking"]),
        tests("Tracking", ["Evaluation", "Recordings"]),
        tests("Wire", ["Bytes", "Pipeline", "Tracking"]),
        tests("Stages", ["Bytes", "Pipeline", "Simulation", "Tracking", "Wire"]),
        tests("Simulation", ["Bytes", "Tracking", "Wire"]),
        .target(name: "TestSupport", dependencies: [logging], path: "Tests/TestSupport", swiftSettings: settings),
        tests("Kafka", ["Bytes", "KafkaMock", "Pipeline", "Tracking"]),
        tests("Redis"),
        tests("Postgres"),
        tests("Streaming", ["Bytes", "Kafka", "KafkaMock", "Pipeline", "Tracking", logging]),
        tests("WorkerRuntime", ["Settings"]),
        tests("Observability", [logging, metricsCore, lifecycle]),
        tests("Settings", [logging, "Tracking"]),
        tests("Sinks", ["Bytes", "Pipeline", "Postgres", "Redis", "Settings", "Tracking", "Wire"]),
        tests("Recordings", ["Bytes", "Tracking", "Wire"]),
        tests("Evaluation", ["Recordings", "Simulation", "Tracking"]),
        tests(
            "SightlineCLI",
            ["Bytes", "Pipeline", "Recordings", "Redis", "Simulation", "Sinks", "Stages", "Tracking", "Wire"]),
        // Breaks a running pipeline on purpose: deploy/test chaos, deploy/soak.
        .target(name: "ChaosClock", path: "Tests/ChaosClock"),
        .executableTarget(
            name: "Chaos",
            dependencies: ["Bytes", "Kafka", "Pipeline", "Observability", "TestSupport", "Tracking", argumentParser],
            path: "Tests/Chaos", swiftSettings: settings),
        tests("Chaos"),
        .testTarget(name: "DeployTests", dependencies: ["TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "TestSupport", "Bytes", "Kafka", "KafkaMock", "Redis", "Postgres", "Pipeline", "Tracking", "Wire",
                "Sinks",
                "Streaming", logging,
                // Run as processes, so they have to be built.
                "LocationWorker", "EtaWorker", "PositionWorker", "HistoryWorker", "BroadcastWorker", "SightlineCLI",
            ], swiftSettings: settings),
    ]
)

// What `deploy/fuzz` builds, and nobody else: it is linked with the fuzzer, which only instrumented code can be.
if Context.environment["SIGHTLINE_FUZZING"] != nil {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"),
        .executableTarget(
            name: "Fuzz", dependencies: ["CFuzzer", "Bytes", "Pipeline", "Recordings", "Stages", "Tracking", "Wire"],
            path: "Tests/Fuzzing/Targets", swiftSettings: settings),
    ]
}
