import ArgumentParser
import Foundation
import Recordings
import Runtime

/// `sightline health`: queries a worker; the container image has no other HTTP client.
struct HealthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Query liveness, readiness or metrics of a worker or gateway.",
        discussion: """
            Prints the response. The address comes from SIGHTLINE_HTTP_HOST and SIGHTLINE_HTTP_PORT, as for the \
            worker. If the port is not set, give the worker's name to use its default port, or --url.

            Exit code: 0 if the worker is alive (with --ready: ready), 1 if it is not or does not respond.

            In a container, which has the environment of the worker:

              docker compose exec location-worker sightline health --ready
              docker compose exec location-worker sightline health --metrics
            """)

    @Argument(help: "The worker or gateway, such as location-worker, for its default port.")
    var worker: String?

    @Flag(help: "Query /readyz: a worker that waits for its broker or store is not ready.")
    var ready = false

    @Flag(help: "Print /metrics in the Prometheus text format.")
    var metrics = false

    @Option(help: "Address of the worker, such as http://127.0.0.1:9101.")
    var url: String?

    @Option(help: "Response timeout in seconds, 1 to 300.")
    var timeout = 5

    func validate() throws {
        if ready, metrics { throw ValidationError("Give --ready or --metrics, not both.") }
        if worker != nil, url != nil { throw ValidationError("Give the worker's name or --url, not both.") }
        guard (1...300).contains(timeout) else { throw ValidationError("--timeout must be 1 to 300 seconds.") }
        if let worker, Self.program(worker) == nil {
            let names = Set<Program>.services.map(\.rawValue).sorted().joined(separator: ", ")
            throw ValidationError("There is no worker or gateway \(worker); use one of \(names).")
        }
        if worker == nil, url == nil, Self.portVariable.isEmpty {
            throw ValidationError(
                "No worker given: give its name or --url, or set SIGHTLINE_HTTP_PORT to its port.")
        }
    }

    func run() throws {
        let endpoint = try endpoint()
        let path = metrics ? "/metrics" : ready ? "/readyz" : "/healthz"
        guard let response = endpoint.request(path) else {
            throw InputError(
                "http://\(endpoint.host):\(endpoint.port)\(path) does not respond. Check that the worker is running and "
                    + "uses this port.")
        }
        print(response.body, terminator: "")
        if response.status != 200 { throw ExitCode(1) }
    }

    private func endpoint() throws -> HTTPEndpoint {
        let milliseconds = timeout * 1000
        if let url { return try HTTPEndpoint(url, timeoutMilliseconds: milliseconds) }
        // All workers read the same variables; only the default port depends on the name.
        let settings = try Settings(for: worker.flatMap(Self.program) ?? .locationWorker).endpoint
        guard settings.port != 0 else {
            throw InputError(
                "With SIGHTLINE_HTTP_PORT=0 the worker selected a free port: give --url with the port from its log.")
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
