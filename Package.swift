// swift-tools-version: 6.2
import PackageDescription

/// Kind of build, empty for an ordinary one.
///
/// `strict`: warnings are errors (CI). `sanitizers`: without jemalloc, because sanitizers replace the allocator.
/// `fuzzing`: with the target that `deploy/fuzz` builds.
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
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")

/// WebSockets beside HTTP.
let sockets: [Target.Dependency] = [
    .product(name: "DequeModule", package: "swift-collections"),
    .product(name: "HummingbirdCore", package: "hummingbird"),
    nioCore, nioPosix,
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
    .package(url: "https://github.com/apple/swift-configuration.git", exact: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", exact: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-structured-headers.git", exact: "1.7.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio-http2.git", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-nio-transport-services.git", exact: "1.28.0"),
    .package(url: "https://github.com/apple/swift-numerics.git", exact: "1.1.1"),
    .package(url: "https://github.com/apple/swift-service-context.git", exact: "1.5.1"),
    .package(url: "https://github.com/apple/swift-system.git", exact: "1.8.1"),
    .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
]

/// Values and algorithms, without a clock, a store or a message format.
let domain: [Target.Dependency] = ["Support", "Domain"]

/// The domain with the JSON of the topics and the protocols of processors and sinks: everything without I/O.
let pure: [Target.Dependency] = domain + ["Processing", "Codec"]

/// A worker or gateway: its library, and the executable of its `main.swift`.
func program(_ product: String, _ module: String, path: String, exclude: [String] = []) -> Target {
    .executableTarget(
        name: product, dependencies: [.byName(name: module)], path: path, exclude: exclude, sources: ["main.swift"])
}

let clients: [Target] = [
    .systemLibrary(
        name: "CRdKafka", path: "Sources/CLibraries/CRdKafka", pkgConfig: "rdkafka",
        providers: [.apt(["librdkafka-dev"])]),
    .systemLibrary(
        name: "CCurl", path: "Sources/CLibraries/CCurl", pkgConfig: "libcurl",
        providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
        name: "CHiredis", path: "Sources/CLibraries/CHiredis", providers: [.apt(["libhiredis-dev"])]),
    .systemLibrary(
        name: "COpenSSL", path: "Sources/CLibraries/COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
        name: "CPQ", path: "Sources/CLibraries/CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(name: "CRdKafkaGuard", path: "Sources/CLibraries/CRdKafkaGuard"),
    .target(name: "Kafka", dependencies: ["Support", "CRdKafka"] + kafkaGuard),
    .target(name: "Redis", dependencies: ["Support", "CHiredis", "COpenSSL"]),
    .target(name: "Postgres", dependencies: ["Support", "CPQ"]),
    .target(name: "Signatures", dependencies: ["COpenSSL"]),
]

let core: [Target] = [
    .target(name: "Support"),
    .target(name: "Domain", dependencies: ["Support"]),
    .target(name: "Processing", dependencies: ["Support", "Domain"]),
    .target(
        name: "CSimdJSON", path: "Sources/CLibraries/CSimdJSON",
        cxxSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))],
        linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "Codec", dependencies: ["Support", "CSimdJSON", "Domain", "Processing"]),
]

let runtime: [Target] = [
    .target(
        name: "CJemalloc", path: "Sources/CLibraries/CJemalloc", linkerSettings: [.linkedLibrary("jemalloc")]),
    .target(name: "CFatalSignal", path: "Sources/CLibraries/CFatalSignal"),
    .target(
        name: "Runtime",
        dependencies: domain + [
            "CFatalSignal", "Kafka", "Processing", argumentParser, hummingbird, lifecycle, logging, metricsCore,
            nioCore,
            .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        ] + allocator),
]

let processorCommands = [
    "Location/LocationWorkerCommand.swift", "Eta/EtaWorkerCommand.swift", "Broadcast/BroadcastWorkerCommand.swift",
]

let workers: [Target] = [
    // The processors without their commands: benchmarks and fuzzing build them without the clients and the runtime.
    .target(
        name: "Processors", dependencies: pure, path: "Sources/Workers",
        exclude: processorCommands + ["Location/main.swift", "Eta/main.swift", "Broadcast/main.swift"],
        sources: ["Location", "Eta", "Broadcast"]),
    .target(
        name: "ProcessorWorkers", dependencies: pure + ["Processors", "Runtime", argumentParser],
        path: "Sources/Workers", sources: processorCommands),
    .target(
        name: "PositionWorker", dependencies: pure + ["Redis", "Runtime", argumentParser],
        path: "Sources/Workers/Position", exclude: ["main.swift"]),
    .target(
        name: "HistoryWorker", dependencies: pure + ["Postgres", "Runtime", argumentParser],
        path: "Sources/Workers/History", exclude: ["main.swift"],
        // The migrations.
        resources: [.embedInCode("Schema")]),
    .target(
        name: "PushWorker",
        dependencies: pure + [
            "CCurl", "Kafka", "PositionWorker", "Redis", "Runtime", "Signatures", argumentParser, logging, metricsCore,
        ], path: "Sources/Workers/Push", exclude: ["main.swift"]),
    program("location-worker", "ProcessorWorkers", path: "Sources/Workers/Location"),
    program("eta-worker", "ProcessorWorkers", path: "Sources/Workers/Eta"),
    program("broadcast-worker", "ProcessorWorkers", path: "Sources/Workers/Broadcast"),
    program("position-worker", "PositionWorker", path: "Sources/Workers/Position"),
    program("history-worker", "HistoryWorker", path: "Sources/Workers/History", exclude: ["Schema"]),
    program("push-worker", "PushWorker", path: "Sources/Workers/Push"),
]

let gateways: [Target] = [
    .target(
        name: "Gateways",
        dependencies: pure + [
            "Kafka", "PositionWorker", "Redis", "Runtime", "Signatures", argumentParser, hummingbird, lifecycle,
            logging,
            metricsCore,
        ] + sockets,
        exclude: [
            "Rider/main.swift", "Driver/main.swift", "Rider/Client/test", "Rider/Client/testing",
            "Rider/Client/README.md", "Rider/Client/package.json", "Rider/Client/sightline.d.ts",
        ],
        // The live map and the client module that it uses.
        resources: [
            .embedInCode("Rider/Web"), .embedInCode("Rider/Client/sightline.js"),
            .embedInCode("Rider/Client/sightline"),
        ]),
    program("rider-gateway", "Gateways", path: "Sources/Gateways/Rider", exclude: ["Web", "Client"]),
    program("driver-gateway", "Gateways", path: "Sources/Gateways/Driver"),
]

/// All that `sightline` can act as.
let components: [Target.Dependency] = [
    "Processors", "ProcessorWorkers", "PositionWorker", "HistoryWorker", "PushWorker", "Gateways",
]

let commandLine: [Target] = [
    .target(
        name: "Simulation",
        dependencies: ["Support", "Domain", "Codec", .product(name: "HeapModule", package: "swift-collections")]),
    .target(name: "Recordings", dependencies: ["Support", "Domain", "Codec"]),
    .target(
        name: "SightlineCLI",
        dependencies: pure + components + [
            "Kafka", "Postgres", "Recordings", "Redis", "Runtime", "Simulation", argumentParser,
        ], path: "Sources/sightline", exclude: ["main.swift"]),
    program("sightline", "SightlineCLI", path: "Sources/sightline"),
]

/// Programs that measure Sightline or inject faults; neither the demo nor the image builds them.
let tools: [Target] = [
    .target(name: "CSpawn", path: "Tools/CSpawn"),
    .target(name: "ChildProcesses", dependencies: ["CSpawn"], path: "Tools/ChildProcesses"),
    .target(name: "CAllocationCount", path: "Tools/AllocationCount"),
    .target(
        name: "KafkaMock", dependencies: ["ChildProcesses", "Support", "CRdKafka", "Kafka"], path: "Tools/KafkaMock"),
    .target(
        name: "Evaluation",
        dependencies: domain + ["Processing", "Recordings", "Simulation", "SightlineCLI", argumentParser],
        path: "Tools/Evaluation", exclude: ["main.swift", "plot.py"]),
    program("sightline-evaluate", "Evaluation", path: "Tools/Evaluation", exclude: ["plot.py"]),
    .target(
        name: "Benchmarks",
        dependencies: pure + [
            "ChildProcesses", "HistoryWorker", "Kafka", "KafkaMock", "Postgres", "Recordings", "Redis", "Runtime",
            "SightlineCLI", "Simulation", argumentParser,
            // The clients of `bench gateway`.
            nioCore, nioPosix,
        ], path: "Tools/Benchmarks", exclude: ["Core", "main.swift", "peers", "bounds.csv"]),
    program("sightline-bench", "Benchmarks", path: "Tools/Benchmarks", exclude: ["Core", "peers", "bounds.csv"]),
    // Compares what clients of rider-gateway received with the topic; run by integration and chaos tests.
    .target(
        name: "ClientAudit",
        dependencies: pure + ["Gateways", "Kafka", "Recordings", "Runtime", "SightlineCLI", argumentParser],
        path: "Tools/ClientAudit", exclude: ["main.swift"]),
    program("sightline-client-audit", "ClientAudit", path: "Tools/ClientAudit"),
    .executableTarget(
        name: "core-benchmark",
        dependencies: pure + ["CAllocationCount", "Processors", "Simulation", argumentParser],
        path: "Tools/Benchmarks/Core"),
    // Breaks a running pipeline on purpose: deploy/test chaos, deploy/soak.
    .target(name: "ChaosClock", path: "Tools/ChaosClock"),
    .executableTarget(
        name: "Chaos",
        dependencies: ["ChildProcesses", "Kafka", "Domain", "Runtime", "Support", "TestSupport", argumentParser],
        path: "Tools/Chaos"),
    // The workers over a simulated clock, log, Redis and Postgres: deploy/test simulation. No other target may depend on
    // it, because its functions replace those of the C libraries.
    .target(name: "KafkaScenarios", dependencies: ["Support", "Kafka"], path: "Tools/KafkaScenarios"),
    .target(name: "CFaultSimulation", path: "Tools/CFaultSimulation"),
    .executableTarget(
        name: "FaultSimulation",
        dependencies: pure + [
            "CFaultSimulation", "CHiredis", "CPQ", "CRdKafka", "ChildProcesses", "HistoryWorker", "Kafka",
            "KafkaScenarios", "PositionWorker",
            "Postgres", "ProcessorWorkers", "Redis", "Runtime", "SightlineCLI", "Simulation", argumentParser, logging,
            .product(name: "HeapModule", package: "swift-collections"),
        ], path: "Tools/FaultSimulation", exclude: ["mutants.py", "mutants.txt"]),
]

/// A target per module, the deployment files, and everything together against real services.
let tests: [Target] = [
    .target(name: "TestSupport", dependencies: ["ChildProcesses", "Signatures", logging], path: "Tests/TestSupport"),
    .testTarget(name: "SupportTests", dependencies: ["Support", "TestSupport"]),
    .testTarget(name: "DomainTests", dependencies: domain + ["TestSupport", "Evaluation", "Recordings"]),
    .testTarget(name: "ProcessingTests", dependencies: ["Support", "Domain", "Processing", "TestSupport"]),
    .testTarget(name: "CodecTests", dependencies: ["Support", "Codec", "Domain", "Processing", "TestSupport"]),
    .testTarget(
        name: "KafkaTests",
        dependencies: ["ChildProcesses", "Support", "Kafka", "KafkaScenarios", "TestSupport", "KafkaMock"] + kafkaGuard),
    .testTarget(name: "RedisTests", dependencies: ["Redis", "TestSupport"]),
    .testTarget(name: "SignaturesTests", dependencies: ["Signatures", "TestSupport"]),
    .testTarget(name: "PostgresTests", dependencies: ["Postgres", "TestSupport"]),
    .testTarget(
        name: "RuntimeTests",
        dependencies: domain + [
            "Kafka", "KafkaMock", "Processing", "Runtime", "TestSupport", lifecycle, logging, metricsCore, nioEmbedded,
        ]),
    .testTarget(
        name: "WorkersTests",
        dependencies: pure + [
            "PositionWorker", "Processors", "HistoryWorker", "PushWorker", "Postgres", "Redis", "Runtime", "Simulation",
            "Signatures", "TestSupport",
        ] + allocationCount),
    .testTarget(
        name: "GatewaysTests",
        dependencies: pure + [
            "COpenSSL", "Gateways", "Kafka", "KafkaMock", "Redis", "Runtime", "Signatures", "TestSupport", logging,
            nioCore, nioPosix, nioEmbedded,
        ]),
    .testTarget(
        name: "SimulationTests",
        dependencies: pure + ["Simulation", "TestSupport"]),
    .testTarget(
        name: "RecordingsTests", dependencies: pure + ["Recordings", "TestSupport"]),
    .testTarget(
        name: "SightlineCLITests",
        dependencies: pure + components + [
            "ChildProcesses", "Recordings", "Redis", "Runtime", "SightlineCLI", "Simulation", "TestSupport",
        ]),
    .testTarget(
        name: "EvaluationTests", dependencies: domain + ["Evaluation", "TestSupport", "Recordings", "Simulation"]),
    .testTarget(
        name: "BenchmarksTests",
        dependencies: ["Benchmarks", "Kafka", "KafkaMock", "Recordings", "SightlineCLI", "TestSupport", nioCore]),
    .testTarget(name: "ChaosTests", dependencies: ["Chaos", "TestSupport"]),
    .testTarget(
        name: "ClientAuditTests", dependencies: ["ClientAudit", "Domain", "Recordings", "Support", "TestSupport"]),
    .testTarget(name: "ChildProcessesTests", dependencies: ["ChildProcesses", "TestSupport"]),
    .testTarget(name: "DeployTests", dependencies: ["TestSupport"]),
    .testTarget(
        name: "IntegrationTests",
        dependencies: pure + components + [
            "ChildProcesses", "TestSupport", "Kafka", "KafkaMock", "Redis", "Postgres", "Runtime", "Signatures",
            logging,
            // Mocks of the push services.
            hummingbird, lifecycle, nioCore,
            // Run as processes, so they have to be built.
            "location-worker", "eta-worker", "broadcast-worker", "position-worker", "history-worker", "push-worker",
            "rider-gateway", "driver-gateway", "sightline", "sightline-bench", "sightline-client-audit",
        ]),
]

let package = Package(
    name: "sightline",
    products: [
        .executable(name: "location-worker", targets: ["location-worker"]),
        .executable(name: "eta-worker", targets: ["eta-worker"]),
        .executable(name: "position-worker", targets: ["position-worker"]),
        .executable(name: "history-worker", targets: ["history-worker"]),
        .executable(name: "broadcast-worker", targets: ["broadcast-worker"]),
        .executable(name: "push-worker", targets: ["push-worker"]),
        .executable(name: "rider-gateway", targets: ["rider-gateway"]),
        .executable(name: "driver-gateway", targets: ["driver-gateway"]),
        .executable(name: "sightline", targets: ["sightline"]),
        .executable(name: "sightline-evaluate", targets: ["sightline-evaluate"]),
        .executable(name: "sightline-bench", targets: ["sightline-bench"]),
        .executable(name: "sightline-client-audit", targets: ["sightline-client-audit"]),
        .executable(name: "core-benchmark", targets: ["core-benchmark"]),
        .executable(name: "chaos", targets: ["Chaos"]),
        .executable(name: "fault-simulation", targets: ["FaultSimulation"]),
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
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        // What Hummingbird is made of, for the connections of the endpoint.
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
    ] + transitivePackages,
    targets: clients + core + runtime + workers + gateways + commandLine + tools + tests
)

if purpose == "fuzzing" {
    // Linked with the fuzzer, which only instrumented code can be.
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tools/Fuzzing/CFuzzer"),
        .executableTarget(
            name: "Fuzz", dependencies: pure + ["CFuzzer", "Processors", "Recordings"],
            path: "Tools/Fuzzing/Targets"),
    ]
}

/// Modules that compute most.
///
/// They are optimized in debug builds too, because tests simulate days of driving; they keep
/// the checks of overflow, bounds and exclusivity.
let optimized: Set<String> = [
    "Support", "Domain", "Processing", "Codec",
    "Processors", "PositionWorker", "HistoryWorker", "PushWorker", "Gateways",
    "Simulation", "Recordings", "Evaluation", "KafkaMock", "FaultSimulation",
]

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        // Without checks of exclusive access at run time, which cost a twelfth of the work per record; debug builds have
        // them, and the tests run on debug builds.
        .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
    ]
    if optimized.contains(target.name) {
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
