import ChildProcesses
import Foundation
import Recordings

/// rider-gateway as a process of its own, fed by a topic.
final class GatewayServer: PushServer {
    let name = "rider-gateway"
    let target: LoadTarget
    let feed: any UpdateFeed
    private let stage: BenchStage
    private let environment: [String: String]
    private var process: MeasuredWorker

    /// Starts the gateway, with `secret` for the tokens of its clients.
    init(_ stage: BenchStage, feed: any UpdateFeed) throws {
        self.stage = stage
        self.feed = feed
        let port = Int(try FreePort.take())
        let secret = try Self.sightline(["token", "--new-secret"])
        // The local stack has a secret of its own in its environment.
        let keys = [
            "SIGHTLINE_TOKEN_SECRET": secret, "SIGHTLINE_TOKEN_SECRET_FILE": "", "SIGHTLINE_TOKEN_JWKS_FILE": "",
        ]
        environment = [
            "SIGHTLINE_RIDER_PORT": String(port), "KAFKA_FETCH_WAIT_MAX_MS": stage.fetchWaitMilliseconds,
        ].merging(keys) { $1 }
        let token = try Self.sightline(["token", "--trip", "*", "--expires", "1d"], environment: keys)
        target = LoadTarget(port: port, token: token)
        process = try stage.worker(name, environment)
    }

    func usage() throws -> ProcessUsage {
        _ = try process.sample()
        return try ProcessUsage.of(process.id)
    }

    func restart() throws {
        process.kill()
        process = try stage.worker(name, environment)
    }

    /// Ends the gateway in order.
    func stop() { process.stop() }

    private static func sightline(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
        guard let program = Bundle.main.executableURL?.path else {
            throw InputError("The path of this program is not known.")
        }
        let output = try BenchTool.run(program, arguments, environment: environment)
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
