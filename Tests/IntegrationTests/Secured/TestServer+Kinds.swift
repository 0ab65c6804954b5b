import Foundation
import TestSupport

extension TestServer {
    static let hasStunnel = Checkout.tool("stunnel") != nil
    static let stunnelHint = "needs stunnel (Debian: stunnel4); deploy/test installs it"

    /// Puts TLS in front of `target`, a port of this machine; on 127.0.0.1 and on 127.0.0.2.
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

    /// Redis with TLS only, on 127.0.0.1 and 127.0.0.2.
    static func redis(_ certificates: TestCertificates, _ options: [String]) async throws -> TestServer {
        guard let program = Checkout.tool("redis-server") ?? Checkout.tool("redis-check-rdb") else {
            throw Program.Failure(description: "Redis is not installed.")
        }
        // The program decides by the name it is called whether it is the server.
        return try await TestServer(
            [
                "bash", "-c", "exec -a redis-server \"$0\" \"$@\"", program.path, "--port", "0", "--tls-port", "PORT",
                "--bind", "127.0.0.1", "127.0.0.2", "--save", "", "--tls-cert-file", certificates.path("server.pem"),
                "--tls-key-file", certificates.path("server.key"), "--tls-ca-cert-file", certificates.authority,
            ] + options)
    }

    /// Postgres with TLS, on 127.0.0.1 and 127.0.0.2, found and run as the local stack does it.
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

    /// The broker of the local stack, which tells clients to come to `advertised`.
    static func broker(advertised: String, _ options: [String] = []) async throws -> TestServer {
        guard let program = Checkout.tool("tansu") else {
            throw Program.Failure(description: "No broker is installed.")
        }
        return try await TestServer(
            [
                program.path, "broker", "--listener-url", "tcp://127.0.0.1:PORT", "--advertised-listener-url",
                "tcp://\(advertised)", "--storage-engine", "memory://tansu/", "--silent",
            ] + options)
    }
}
