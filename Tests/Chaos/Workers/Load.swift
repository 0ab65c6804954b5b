import Foundation

/// Steady load and its audit: `sightline demo`, which sends a simulated fleet until it is told to end, waits for the
/// pipeline, and compares everything that was sent with the topics and the stores.
final class Load {
    /// What the audit found.
    struct Audit: Decodable {
        var fixes: Int
        var lost: Int
        var doubled: Int
        var riderUpdates: Int

        private enum CodingKeys: String, CodingKey {
            case fixes, lost, doubled
            case riderUpdates = "rider_updates"
        }

        var isClean: Bool { lost == 0 && doubled == 0 }
    }

    private let process = Process()
    private let logPath: String
    private let reportPath: String

    init(drivers: Int, seed: UInt64, environment: [String: String], folder: String) throws {
        logPath = "\(folder)/demo.log"
        reportPath = "\(folder)/demo.json"
        process.executableURL = try ChildProcess.executable("sightline")
        process.arguments = [
            "demo", "--drivers", String(drivers), "--seed", String(seed), "--json", reportPath, "--patience", "90",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
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

    /// Ends the load and waits for the audit.
    func finish(tending fleet: Fleet) throws -> Audit {
        try check()
        kill(process.processIdentifier, SIGINT)
        guard try fleet.wait(upTo: 180, until: { !process.isRunning }) != nil else {
            throw ChaosError("The audit did not end within 180 s: \(logTail)")
        }
        // 1 says that the audit has findings, which stand in the report.
        guard process.terminationReason == .exit, [0, 1].contains(process.terminationStatus) else {
            throw ChaosError("The audit ended with \(process.terminationStatus): \(logTail)")
        }
        return try JSONDecoder().decode(Audit.self, from: Data(contentsOf: URL(fileURLWithPath: reportPath)))
    }

    private var logTail: String { String(((try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "").suffix(800)) }
}
