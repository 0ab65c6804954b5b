import Foundation

/// Steady load and a first count: `sightline demo`, which sends a simulated fleet until it is told to end, waits for
/// the pipeline, and counts what was sent, what was answered and what the stores hold.
final class Load {
    /// What the demo says at its end.
    struct Summary: Decodable {
        var fixes: Int
        var lost: Int
        var doubled: Int
        var riderUpdates: Int

        private enum CodingKeys: String, CodingKey {
            case fixes, lost, doubled
            case riderUpdates = "rider_updates"
        }
    }

    private let process = Process()
    private let logPath: String
    private let reportPath: String

    /// `lingerMilliseconds`: how long records wait for company before they are sent.
    init(
        drivers: Int, seed: UInt64, lingerMilliseconds: Int, environment: [String: String], folder: String
    ) throws {
        logPath = "\(folder)/demo.log"
        reportPath = "\(folder)/demo.json"
        process.executableURL = try ChildProcess.executable("sightline")
        process.arguments = [
            "demo", "--drivers", String(drivers), "--seed", String(seed), "--json", reportPath, "--patience", "90",
        ]
        var merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        merged["KAFKA_LINGER_MS"] = String(lingerMilliseconds)
        process.environment = merged
        process.standardInput = FileHandle.nullDevice
        let log = try ChildProcess.log(logPath)
        process.standardOutput = log
        process.standardError = log
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// - Throws: ``ChaosError`` when it has ended before its time.
    func check() throws {
        guard !process.isRunning else { return }
        throw ChaosError("The load ended with \(process.terminationStatus): \(logTail)")
    }

    /// Ends the load and waits for the count.
    func finish(tending fleet: Fleet) throws -> Summary {
        try check()
        kill(process.processIdentifier, SIGINT)
        guard try fleet.wait(upTo: 180, until: { !process.isRunning }) != nil else {
            throw ChaosError("The load did not end within 180 s: \(logTail)")
        }
        // 1 says that something was lost or doubled, which stands in the report.
        guard process.terminationReason == .exit, [0, 1].contains(process.terminationStatus) else {
            throw ChaosError("The load ended with \(process.terminationStatus): \(logTail)")
        }
        return try JSONDecoder().decode(Summary.self, from: Data(contentsOf: URL(fileURLWithPath: reportPath)))
    }

    private var logTail: String { String(((try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "").suffix(800)) }
}
