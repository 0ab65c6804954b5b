import Foundation

/// Steady load: `sightline simulate`, which sends a simulated fleet until it is told to end.
final class Load {
    private let process = Process()
    private let logPath: String

    /// `lingerMilliseconds`: how long records wait for company before they are sent.
    init(
        drivers: Int, seed: UInt64, lingerMilliseconds: Int, environment: [String: String], folder: String
    ) throws {
        logPath = "\(folder)/load.log"
        process.executableURL = try ChildProcess.executable("sightline")
        process.arguments = ["simulate", "--drivers", String(drivers), "--seed", String(seed)]
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

    /// Ends the load and waits until everything is sent.
    func finish(tending fleet: Fleet) throws {
        try check()
        kill(process.processIdentifier, SIGINT)
        guard try fleet.wait(upTo: 90, until: { !process.isRunning }) != nil else {
            throw ChaosError("The load did not end within 90 s: \(logTail)")
        }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw ChaosError("The load ended with \(process.terminationStatus): \(logTail)")
        }
    }

    private var logTail: String { String(((try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "").suffix(800)) }
}
