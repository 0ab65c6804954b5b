import Foundation
import TestSupport
import Testing

@Suite(
    "deploy/local/stack", .blocking, .serialized, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct LocalStackTests {
    /// Runs a command in the checkout.
    private func run(_ words: [String], _ environment: [String: String]) throws -> (code: Int32, output: String) {
        // Children inherit the signal mask of this process's threads, which blocks signals that services need.
        let unblocked =
            "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"
        return try Checkout.run(
            URL(fileURLWithPath: "/usr/bin/env"), ["python3", "-c", unblocked] + words, environment: environment)
    }

    /// Runs a command with `stack run`, which starts a stack in `folder` for it.
    private func run(
        _ command: String, in folder: URL, _ variables: [String: String] = [:]
    ) throws -> (code: Int32, output: String) {
        let stack = Checkout.root.appendingPathComponent("deploy/local/stack").path
        return try run(
            [stack, "run", "--fast", "--", "bash", "-c", command],
            ProcessInfo.processInfo.environment
                .merging(variables) { $1 }.merging(["SIGHTLINE_LOCAL_DIR": folder.path]) { $1 })
    }

    /// Runs a script for the stack in `folder`, and stops that stack at the end.
    ///
    /// The environment lacks the addresses of the tests' services.
    private func run(script: String, in folder: URL) throws -> (code: Int32, output: String) {
        var environment = ProcessInfo.processInfo.environment.filter { key, _ in
            !key.hasPrefix("KAFKA_") && key != "REDIS_URL" && key != "POSTGRES_URL"
        }
        environment["SIGHTLINE_LOCAL_DIR"] = folder.path
        environment["SIGHTLINE_LOCAL_BIN"] = Program.folder.path
        return try run(["/bin/bash", "-c", "trap 'deploy/local/stack stop' EXIT\nset -eu\n\(script)"], environment)
    }

    private func temporaryFolder() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("stack-\(UUID().uuidString.prefix(8))")
    }

    @Test("a restarted stack has the same addresses, and deploy/sl uses them from any folder", .nightly)
    func stableAddresses() throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try run(
            script: """
                deploy/local/stack start --fast
                before=$(grep URL "$SIGHTLINE_LOCAL_DIR/run/env"; grep KAFKA "$SIGHTLINE_LOCAL_DIR/run/env")
                deploy/local/stack stop
                deploy/local/stack start --fast
                after=$(grep URL "$SIGHTLINE_LOCAL_DIR/run/env"; grep KAFKA "$SIGHTLINE_LOCAL_DIR/run/env")
                [[ $before == "$after" ]] && echo "same addresses"
                (cd / && "$OLDPWD/deploy/sl" topics create --partitions 1)
                """, in: folder)
        #expect(result.code == 0, "\(result.output)")
        #expect(result.output.contains("same addresses"), "\(result.output)")
        #expect(result.output.contains("created driver.locations.raw"), "\(result.output)")
    }

    @Test("a restart keeps the gateways' ports and the token secret, which only the stack's user can read")
    func gatewayPortsAndTokenSecret() throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try run(
            script: """
                unset SIGHTLINE_RIDER_PORT SIGHTLINE_DRIVER_PORT
                unset SIGHTLINE_TOKEN_SECRET SIGHTLINE_TOKEN_SECRET_FILE SIGHTLINE_TOKEN_JWKS_FILE
                names='grep -E SIGHTLINE_(RIDER|DRIVER|TOKEN)'
                deploy/local/stack start --fast
                before=$($names "$SIGHTLINE_LOCAL_DIR/run/env"; cat "$SIGHTLINE_LOCAL_DIR/run/token-secret")
                stat -c 'mode %a, %s bytes' "$SIGHTLINE_LOCAL_DIR/run/token-secret"
                deploy/local/stack stop
                deploy/local/stack start --fast
                after=$($names "$SIGHTLINE_LOCAL_DIR/run/env"; cat "$SIGHTLINE_LOCAL_DIR/run/token-secret")
                [[ $before == "$after" ]] && echo "same ports and secret"
                deploy/sl topics create --partitions 1
                deploy/local/workers start rider-gateway=2 driver-gateway
                deploy/local/workers status
                # A secret in the environment replaces the secret in the file.
                SIGHTLINE_TOKEN_SECRET=0123456789abcdef0123456789abcdef bash -c \
                    '. "$SIGHTLINE_LOCAL_DIR/run/env"; echo "file: ${SIGHTLINE_TOKEN_SECRET_FILE:-none}"'
                . "$SIGHTLINE_LOCAL_DIR/run/env"
                curl -s -H "Authorization: Bearer $(deploy/sl token --trip none)" \
                    "http://127.0.0.1:$SIGHTLINE_RIDER_PORT/trips/none"
                curl -s -H "Authorization: Bearer $(deploy/sl token --driver d1)" \
                    -d '{"lat":1,"lng":2,"sequence":1}' "http://127.0.0.1:$SIGHTLINE_DRIVER_PORT/drivers/d1/locations"
                """, in: folder)
        #expect(result.code == 0, "\(result.output)")
        for words in ["mode 600, 64 bytes", "same ports and secret", "file: none", "TRIP_NOT_FOUND", #""sequence":1"#] {
            #expect(result.output.contains(words), "\(words) in \(result.output)")
        }
        #expect(
            result.output.matches(of: /(rider|driver)-gateway-[12]\t.*\tready\tclients: http:\/\/127.0.0.1:\d+/).count
                == 3)
    }

    @Test("if a service's port is in use, the stack selects another port and prints the process that uses it", .nightly)
    func portInUse() throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try run(
            script: """
                deploy/local/stack start --fast
                deploy/local/stack stop
                port=$(<"$SIGHTLINE_LOCAL_DIR/run/redis.port")
                python3 -m http.server "$port" --bind 127.0.0.1 >"$SIGHTLINE_LOCAL_DIR/http" 2>&1 &
                holder=$!
                # If the HTTP server cannot get the port, the test fails instead of waiting.
                curl -s -o /dev/null -m 5 --retry 30 --retry-delay 1 --retry-connrefused "http://127.0.0.1:$port" ||
                    { cat "$SIGHTLINE_LOCAL_DIR/http"; kill "$holder"; exit 9; }
                code=0
                deploy/local/stack start --fast || code=$?
                kill "$holder"
                echo "exit code $code; port $port; holder $holder"
                deploy/local/stack status
                """, in: folder)
        #expect(result.code == 0, "\(result.output)")
        let words = try #require(
            result.output.firstMatch(of: /exit code 0; port (\d+); holder (\d+)/), "\(result.output)")
        #expect(
            result.output.contains("port \(words.1) of redis is used by process \(words.2) ("), "\(result.output)")
        #expect(!result.output.contains("redis     127.0.0.1:\(words.1) "), "\(result.output)")
    }

    @Test(
        "a stop ends the workers of the folder, but not another process whose id is in a pid file", .nightly)
    func stopEndsWorkers() throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try run(
            script: """
                deploy/local/stack start --fast
                deploy/sl topics create --partitions 1
                deploy/local/workers start location-worker
                worker=$(deploy/local/workers status | cut -f 2)
                sleep 300 >/dev/null 2>&1 &
                other=$!
                echo "$other 1" >"$SIGHTLINE_LOCAL_DIR/run/workers/location-worker-2.pid"
                deploy/local/stack stop
                [[ -e /proc/$worker/exe ]] || echo "the worker has ended"
                kill "$other" && echo "the other process still ran"
                """, in: folder)
        #expect(result.code == 0, "\(result.output)")
        for words in ["stopped location-worker-1\n", "the worker has ended", "the other process still ran"] {
            #expect(result.output.contains(words), "\(result.output)")
        }
    }

    @Test("without a stack or a broker address, a start of workers fails and prints how to fix it")
    func noStack() throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try run(script: "deploy/local/workers start location-worker", in: folder)
        // If a broker listens at the default address, the worker ends because its topics are missing there.
        #expect(result.code == 1, "\(result.output)")
        if !result.output.contains("stopped while starting") {
            for words in ["deploy/local/stack start", "KAFKA_BOOTSTRAP_SERVERS"] {
                #expect(result.output.contains(words), "\(result.output)")
            }
        }
    }

    @Test("a second `stack run` begins without data, because stored offsets belong to the previous broker", .nightly)
    func secondStartIsEmpty() throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try run(#"psql -X -d "$POSTGRES_URL" -c 'CREATE TABLE left_over (n integer)'"#, in: folder)
        #expect(first.code == 0, "\(first.output)")
        let second = try run(#"psql -X -t -d "$POSTGRES_URL" -c "SELECT to_regclass('left_over') IS NULL""#, in: folder)
        #expect(second.code == 0, "\(second.output)")
        #expect(second.output.contains(" t"), "\(second.output)")
    }

    @Test("the database requires its password, which only the user of the stack can read")
    func databasePassword() throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try run(
            #"""
            address=${POSTGRES_URL%%\?*} file=$SIGHTLINE_LOCAL_DIR/run/pgpass
            psql -X -t -d "$POSTGRES_URL" -c "SELECT 'with the password'"
            PGPASSFILE=/dev/null psql -X -w -d "$address" -c 'SELECT 1' || echo "without password: $?"
            stat -c 'mode %a' "$file"
            [[ $POSTGRES_URL != *"$(sed 's/.*://' "$file")"* ]] && echo "not in the address"
            """#, in: folder)
        #expect(result.code == 0, "\(result.output)")
        for words in ["with the password", "without password: 2", "mode 600", "not in the address"] {
            #expect(result.output.contains(words), "\(words) in \(result.output)")
        }
    }

    @Test("a copy of a running stack's folder runs its own stack, and the original keeps its data and processes")
    func copiedFolder() throws {
        let folder = temporaryFolder()
        let copy = temporaryFolder()
        defer { for url in [folder, copy] { try? FileManager.default.removeItem(at: url) } }
        let result = try run(
            script: """
                deploy/local/stack start --fast
                . "$SIGHTLINE_LOCAL_DIR/run/env"
                psql -X -q -d "$POSTGRES_URL" -c 'CREATE TABLE kept (n integer)'
                # Postgres may delete a file during the copy.
                cp -a "$SIGHTLINE_LOCAL_DIR" '\(copy.path)' || true
                SIGHTLINE_LOCAL_DIR='\(copy.path)' deploy/local/stack run --fast -- bash -c \\
                    'psql -X -t -d "$POSTGRES_URL" -c "SELECT to_regclass('"'kept'"') IS NULL"'
                SIGHTLINE_LOCAL_DIR='\(copy.path)' deploy/local/stack stop
                deploy/local/stack status
                psql -X -q -d "$POSTGRES_URL" -c 'SELECT count(*) FROM kept'
                """, in: folder)
        #expect(result.code == 0, "\(result.output)")
        #expect(result.output.contains("\n t\n"), "\(result.output)")
    }

    @Test("with KAFKA_HOME, the stack formats and starts Apache Kafka in KRaft mode at the stack's port", .nightly)
    func apacheKafka() throws {
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        // These substitutes for Apache Kafka's scripts start tansu, the usual broker of the local stack.
        let result = try run(
            script: #"""
                export KAFKA_HOME=$SIGHTLINE_LOCAL_DIR/apache JAVA_HOME=$SIGHTLINE_LOCAL_DIR/java TANSU=$PWD/.local/bin/tansu
                mkdir -p "$KAFKA_HOME/bin" "$JAVA_HOME/bin"
                printf '#!/bin/sh\necho "storage $*"\n' >"$KAFKA_HOME/bin/kafka-storage.sh"
                printf '#!/bin/sh\n' >"$JAVA_HOME/bin/java"
                cat >"$KAFKA_HOME/bin/kafka-server-start.sh" <<'SCRIPT'
                #!/bin/bash
                port=$(sed -n 's|^listeners=PLAINTEXT://127.0.0.1:\([0-9]*\),.*|\1|p' "$1")
                echo "Kafka Server started"
                address=tcp://127.0.0.1:$port
                exec "$TANSU" broker --listener-url "$address" --advertised-listener-url "$address" \
                    --storage-engine memory://tansu/ --silent
                SCRIPT
                chmod +x "$KAFKA_HOME"/bin/* "$JAVA_HOME"/bin/*
                deploy/local/stack start --fast
                deploy/sl topics create --partitions 1
                deploy/local/stack restart kafka
                deploy/local/stack status
                cat "$SIGHTLINE_LOCAL_DIR/log/kafka.log" "$SIGHTLINE_LOCAL_DIR/kafka/server.properties"
                code=0
                KAFKA_HOME=/nowhere deploy/local/stack status || code=$?
                echo "missing KAFKA_HOME: $code"
                """#, in: folder)
        #expect(result.code == 0, "\(result.output)")
        for words in [
            "created driver.locations.raw", "storage format --ignore-formatted", "process.roles=broker,controller",
            "KAFKA_HOME=/nowhere has no bin/kafka-server-start.sh", "missing KAFKA_HOME: 1",
        ] { #expect(result.output.contains(words), "\(words) in \(result.output)") }
    }

    @Test("with SIGHTLINE_STACK_KAFKA, the stack starts no broker and uses the cluster at this address", .nightly)
    func otherCluster() throws {
        let kafka = try #require(ProcessInfo.processInfo.environment["SIGHTLINE_TEST_KAFKA"])
        let folder = temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let command = #"""
            echo "broker $KAFKA_BOOTSTRAP_SERVERS"
            test ! -e "$SIGHTLINE_LOCAL_DIR/run/kafka.pid" && echo "no local broker"
            SIGHTLINE_STACK_KAFKA=127.0.0.1:1 deploy/local/stack run -- true
            """#
        let result = try run(command, in: folder, ["SIGHTLINE_STACK_KAFKA": kafka])
        #expect(result.output.contains("broker \(kafka)\n"), "\(result.output)")
        #expect(result.output.contains("no local broker"), "\(result.output)")
        // A running stack cannot change to another cluster.
        #expect(result.code == 1)
        #expect(result.output.contains("runs with another Kafka cluster than 127.0.0.1:1"), "\(result.output)")
    }
}
