import Foundation
import TestSupport

extension TestServer {
    static let hasStunnel = Checkout.tool("stunnel") != nil
    static let stunnelHint = "needs stunnel (Debian: stunnel4); deploy/test installs it"

    /// Starts a TLS proxy for the local port `target` on 127.0.0.1 and 127.0.0.2.
    static func tls(to target: Int, _ certificates: TestCertificates, port: Int) async throws -> TestServer {
        var lines = ["foreground = yes", "syslog = no", "pid ="]
        for host in ["127.0.0.1", "127.0.0.2"] {
            lines += [
                "[\(host)]", "accept = \(host):\(port)", "connect = 127.0.0.1:\(target)",
                "cert = \(certificates.path("server.pem"))", "key = \(certificates.path("server.key"))",
            ]
        }
        let settings = certificates.path("stunnel.conf")
        try (lines.joined(separator: "\n") + "\n").write(toFile: settings, atomically: true, encoding: .utf8)
        return try await TestServer(["stunnel", settings], port: port)
    }

    /// Starts Redis with TLS only, on 127.0.0.1 and 127.0.0.2.
    static func redis(_ certificates: TestCertificates, _ options: [String]) async throws -> TestServer {
        guard let program = Checkout.tool("redis-server") ?? Checkout.tool("redis-check-rdb") else {
            throw Program.Failure(description: "Redis is not installed; run deploy/local/install.")
        }
        // redis-check-rdb is the same binary, which runs as the server if its name is redis-server.
        return try await TestServer(
            [
                "bash", "-c", "exec -a redis-server \"$0\" \"$@\"", program.path, "--port", "0", "--tls-port", "PORT",
                "--bind", "127.0.0.1", "127.0.0.2", "--save", "", "--tls-cert-file", certificates.path("server.pem"),
                "--tls-key-file", certificates.path("server.key"), "--tls-ca-cert-file", certificates.authority,
            ] + options)
    }

    /// Starts Postgres with TLS on 127.0.0.1 and 127.0.0.2, like the local stack.
    static func postgres(_ certificates: TestCertificates) async throws -> TestServer {
        let script = """
            set -eu
            fail() { echo "$*" >&2; exit 1; }
            source "$0/deploy/local/services.sh"
            find_postgres_bin
            mapfile -t run_as < <(as_postgres)
            cd "$1"
            install -d -m 700 data
            install -m 600 server.pem server.key data
            if [ "${#run_as[@]}" -gt 0 ]; then chown -R postgres: data; fi
            data=$1/data
            "${run_as[@]}" "$postgres_bin/initdb" --pgdata "$data/cluster" --username postgres --auth trust --no-sync
            exec "${run_as[@]}" "$postgres_bin/postgres" -D "$data/cluster" -p PORT -c fsync=off \
                -c listen_addresses=127.0.0.1,127.0.0.2 -c unix_socket_directories= -c ssl=on \
                -c ssl_cert_file="$data/server.pem" -c ssl_key_file="$data/server.key"
            """
        return try await TestServer(["bash", "-c", script, Checkout.root.path, certificates.folder.path])
    }

    /// Starts the broker of the local stack with the advertised address `advertised`.
    static func broker(advertised: String, _ options: [String] = []) async throws -> TestServer {
        guard let program = Checkout.tool("tansu") else {
            throw Program.Failure(description: "The broker is not installed; run deploy/local/install.")
        }
        return try await TestServer(
            [
                program.path, "broker", "--listener-url", "tcp://127.0.0.1:PORT", "--advertised-listener-url",
                "tcp://\(advertised)", "--storage-engine", "memory://tansu/", "--silent",
            ] + options)
    }
}
