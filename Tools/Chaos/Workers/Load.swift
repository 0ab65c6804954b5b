import ChildProcesses
import Foundation

/// Steady load: `sightline simulate`, which sends a simulated fleet until it is told to end.
final class Load {
    private let process: ChildProcess
    private let logPath: String

    /// `lingerMilliseconds`: how long records wait for company before they are sent.
    init(
        drivers: Int, seed: UInt64, lingerMilliseconds: Int, environment: [String: String], folder: String
    ) throws {
        logPath = "\(folder)/load.log"
        var merged = ChaosPrograms.over(environment)
        merged["KAFKA_LINGER_MS"] = String(lingerMilliseconds)
        process = try ChildProcess(
            ChaosPrograms.executable("sightline").path,
            ["simulate", "--drivers", String(drivers), "--seed", String(seed)], environment: merged,
            output: .file(logPath))
    }

    /// - Throws: ``ChaosError`` when it has ended before its time.
    func check() throws {
        guard let ending = process.ending else { return }
        throw ChaosError("The load ended with \(ending): \(logTail)")
    }

    /// Ends the load and waits until everything is sent.
    func finish(tending fleet: Fleet) throws {
        try check()
        process.send(SIGINT)
        guard try fleet.wait(upTo: 90, until: { !process.isRunning }) != nil else {
            throw ChaosError("The load did not end within 90 s: \(logTail)")
        }
        let ending = process.wait()
        guard ending == .exit(0) else { throw ChaosError("The load ended with \(ending): \(logTail)") }
    }

    private var logTail: String { String(((try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "").suffix(800)) }
}
