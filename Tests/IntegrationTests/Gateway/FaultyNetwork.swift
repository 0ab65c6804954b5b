import Foundation
import TestSupport

/// Proxy `Tests/Network/faulty_network.py`, which injects network faults between clients and a server.
final class FaultyNetwork {
    enum Fault: String, CaseIterable, CodingKeyRepresentable, Decodable {
        case cut, tunnel, loss, delay
        case killEvery = "kill-every"
    }

    /// First line of the script's output.
    private struct Heading: Decodable {
        var ports: [Fault: Int]
    }

    private let program: Program
    /// Port of the proxy for each fault.
    let ports: [Fault: Int]

    /// Starts a proxy in front of the server at `port`, and waits until it listens.
    ///
    /// `period` is the time in seconds between two resets of ``Fault/killEvery``.
    init(to port: Int, period: Int, logs: URL) async throws {
        let script = Checkout.root.appendingPathComponent("Tests/Network/faulty_network.py").path
        let program = try Program(
            "faulty_network",
            [script, "--to", String(port), "--period", String(period)] + Fault.allCases.map(\.rawValue),
            executable: try WebScript.python(), logs: logs)
        self.program = program
        do {
            try await eventually("the proxy listens; its output: \(program.output.suffix(500))") {
                program.output.contains("\n") || !program.isRunning
            }
            let heading = program.output.split(separator: "\n").first.map { Data($0.utf8) } ?? Data()
            ports = try JSONDecoder().decode(Heading.self, from: heading).ports
        } catch {
            program.end()
            throw error
        }
    }

    var isRunning: Bool { program.isRunning }
    /// Output of the script; its first line contains the ports and the seed of the random numbers.
    var output: String { program.output }

    /// Returns how many times a fault was injected.
    func count(of fault: Fault) -> Int {
        program.output.ranges(of: "{\"fault\": \"\(fault.rawValue)\"").count
    }

    func end() { program.end() }
}
