import ChildProcesses
import Foundation
import TestSupport

/// A server that one test starts for itself, on loopback addresses, and ends; its output goes to a file.
final class TestServer {
    let port: Int
    private let program: Program

    /// Starts `command`, which may name the port as `PORT`, and waits until it takes connections.
    ///
    /// `port`: any free one where it is `nil`.
    init(_ command: [String], port: Int? = nil) async throws {
        let port = try port ?? Int(FreePort.take())
        self.port = port
        let words = command.map { $0.replacingOccurrences(of: "PORT", with: String(port)) }
        let name = URL(fileURLWithPath: words[0]).lastPathComponent
        guard let timeout = Checkout.tool("timeout") else {
            throw Program.Failure(description: "timeout, of Debian's coreutils, is not installed.")
        }
        // A test process that is killed ends nothing itself; five minutes later its servers are gone all the same.
        let program = try Program(name, ["--signal=KILL", "300"] + words, executable: timeout)
        self.program = program
        try await eventually("\(name) takes connections") {
            guard program.isRunning else {
                throw Program.Failure(description: "\(name) ended at once: \(program.output)")
            }
            return Self.answers(port)
        }
    }

    deinit { end() }

    /// Ends the server: politely, then firmly.
    ///
    /// For `defer`, which also keeps it alive until there.
    func end() {
        // Postgres' fast shutdown; the other servers take it for an end, too.
        program.send(signal: SIGINT)
        let deadline = ContinuousClock.now + .seconds(5)
        while program.isRunning, ContinuousClock.now < deadline { usleep(10_000) }
        program.discard()
    }

    private static func answers(_ port: Int) -> Bool {
        guard let connection = Loopback.connect(port: UInt16(port)) else { return false }
        close(connection)
        return true
    }
}
