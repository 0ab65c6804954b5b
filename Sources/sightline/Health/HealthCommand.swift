import ArgumentParser
import Foundation
import Recordings
import Runtime

/// `sightline health`: asks one worker how it is; the container image has no other program that could.
struct HealthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Ask a worker or gateway whether it is alive or ready, or for its metrics.",
        discussion: """
            The worker is found by SIGHTLINE_HTTP_PORT and SIGHTLINE_HTTP_HOST, which it reads itself; without a port \
            there, by its name, which stands for its default port; or by --url. Its answer is printed.

            Exit code: 0 when it is alive (with --ready: when it is ready), 1 when it is not or does not answer.

            In a container, which has the worker's own environment:

              docker compose exec location-worker sightline health --ready
              docker compose exec location-worker sightline health --metrics
            """)

    @Argument(help: "The worker or gateway, such as location-worker: for its default port.")
    var worker: String?

    @Flag(help: "Ask /readyz: whether it does its work now. A worker that waits for its broker or store is not ready.")
    var ready = false

    @Flag(help: "Ask /metrics, and print them in Prometheus' text format.")
    var metrics = false

    @Option(help: "The worker's address, such as http://127.0.0.1:9101.")
    var url: String?

    @Option(help: "How many seconds the worker may take to answer.")
    var timeout = 5

    func validate() throws {
        if ready, metrics { throw ValidationError("Give --ready or --metrics, not both.") }
        if worker != nil, url != nil { throw ValidationError("Give the worker's name or --url, not both.") }
        guard (1...300).contains(timeout) else { throw ValidationError("--timeout is 1 to 300 seconds.") }
        if let worker, Self.program(worker) == nil {
            let names = Set<Program>.services.map(\.rawValue).sorted().joined(separator: ", ")
            throw ValidationError("There is no worker or gateway \(worker); there are \(names).")
        }
        if worker == nil, url == nil, Self.portVariable.isEmpty {
            throw ValidationError(
                "Which worker? Give its name or --url, or set SIGHTLINE_HTTP_PORT to the port that it was given.")
        }
    }

    func run() throws {
        let endpoint = try endpoint()
        let path = metrics ? "/metrics" : ready ? "/readyz" : "/healthz"
        guard let answer = endpoint.answer(path) else {
            throw InputError(
                "http://\(endpoint.host):\(endpoint.port)\(path) does not answer. Is the worker running, and is this the "
                    + "port it was given?")
        }
        print(answer.body, terminator: "")
        if answer.status != 200 { throw ExitCode(1) }
    }

    private func endpoint() throws -> HTTPEndpoint {
        let milliseconds = timeout * 1000
        if let url {
            let named = try HTTPEndpoint(url)
            return HTTPEndpoint(host: named.host, port: Int(named.port) ?? 0, timeoutMilliseconds: milliseconds)
        }
        // Every worker reads the same variables; by name only the default port differs.
        let settings = try Settings(for: worker.flatMap(Self.program) ?? .locationWorker).endpoint
        guard settings.port != 0 else {
            throw InputError(
                "With SIGHTLINE_HTTP_PORT=0 the worker took any free port: give --url with the one in its log.")
        }
        let everywhere = ["0.0.0.0": "127.0.0.1", "::": "::1"]
        return HTTPEndpoint(
            host: everywhere[settings.host] ?? settings.host, port: settings.port, timeoutMilliseconds: milliseconds)
    }

    private static var portVariable: String {
        (ProcessInfo.processInfo.environment["SIGHTLINE_HTTP_PORT"] ?? "").trimmingCharacters(in: .whitespaces)
    }

    private static func program(_ name: String) -> Program? {
        Program(rawValue: name).flatMap { Set<Program>.services.contains($0) ? $0 : nil }
    }
}
