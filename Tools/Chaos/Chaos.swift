import ArgumentParser
import Foundation
import Synchronization

/// Injects faults into a running pipeline and audits the results.
@main
struct Chaos: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Inject faults into a running pipeline and audit the results.",
        discussion: "Requires the local stack: run it with deploy/test chaos or deploy/soak.",
        subcommands: [ChaosSeeds.self, Soak.self])

    static func write(_ results: some Encodable, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(results).write(to: URL(fileURLWithPath: path))
    }
}

/// Failure of the suite itself, not a finding about the pipeline.
struct ChaosError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// Whether the run must stop; an atomic, because a signal handler sets it.
private let isStopRequested = Atomic<Bool>(false)

/// A request to stop by SIGINT or SIGTERM, which waiting code throws as an error, so that child processes are ended.
enum StopRequest {
    static func listen() {
        // Initializes the global before the handler can run; a handler must not initialize globals.
        _ = isStopRequested.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM] { signal(number) { _ in isStopRequested.store(true, ordering: .relaxed) } }
    }

    static var isRaised: Bool { isStopRequested.load(ordering: .relaxed) }

    static func check() throws {
        if isRaised { throw ChaosError("Stopped before the end.") }
    }
}

enum Text {
    /// Formats a duration as `4.1 s`, or `never` for `nil`.
    static func seconds(_ value: Double?) -> String { value.map { String(format: "%.1f s", $0) } ?? "never" }
}

extension Thread {
    static func detach(_ body: @escaping @Sendable () -> Void) { Thread(block: body).start() }

    static func pause(seconds: Double) { sleep(forTimeInterval: seconds) }
}

extension ContinuousClock.Instant {
    var elapsedSeconds: Double { duration(to: .now) / .seconds(1) }
}
