import ChildProcesses
import Foundation
import TestSupport

/// Server of one test on loopback addresses, with its output in a file.
final class TestServer {
    let port: Int
    private let program: Program

    /// Starts a command and waits until it accepts connections.
    ///
    /// `PORT` in the command is replaced by `port`, or by a free port if `port` is `nil`.
    init(_ command: [String], port: Int? = nil) async throws {
        let port = try port ?? Int(FreePort.find())
        self.port = port
        let words = command.map { $0.replacingOccurrences(of: "PORT", with: String(port)) }
        let name = URL(fileURLWithPath: words[0]).lastPathComponent
        guard let timeout = Checkout.tool("timeout") else {
            throw Program.Failure(description: "The command timeout is not installed (Debian: coreutils).")
        }
        // `timeout` ends the server after five minutes, even if the test process was killed.
        let program = try Program(name, ["--signal=KILL", "300"] + words, executable: timeout)
        self.program = program
        try await eventually("\(name) accepts connections") {
            guard program.isRunning else {
                throw Program.Failure(description: "\(name) ended: \(program.output)")
            }
            return Self.accepts(port)
        }
    }

    deinit { end() }

    /// Ends the server with SIGINT, or SIGKILL after 5 s.
    ///
    /// Call ``end()`` in `defer`, which also keeps the object alive.
    func end() {
        // SIGINT requests a fast shutdown of Postgres and also ends the other servers.
        program.send(signal: SIGINT)
        let deadline = ContinuousClock.now + .seconds(5)
        while program.isRunning, ContinuousClock.now < deadline { usleep(10_000) }
        program.discard()
    }

    private static func accepts(_ port: Int) -> Bool {
        guard let connection = Loopback.connect(port: UInt16(port)) else { return false }
        close(connection)
        return true
    }
}
