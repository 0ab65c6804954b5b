import Foundation
import TestSupport
import Testing

/// A state folder that is copied together with its checkout while the original's stack runs.
@Suite("Copied state folder", .blocking, .timeLimit(.minutes(10)))
struct CopiedCheckoutTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("copied-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Runs a script on a state folder and its copy; worker and service are `sleep` processes.
    private func run(_ script: String) throws -> String {
        defer { try? FileManager.default.removeItem(at: folder) }
        let start = """
            set -euo pipefail
            cd "$0"
            source deploy/local/hold.sh
            source deploy/local/processes.sh
            original=$1/original copy=$1/copy
            SIGHTLINE_LOCAL_DIR=$original local_state "$0" >/dev/null
            mkdir -p "$original/run/workers" "$original/data/cluster"
            sleep 600 >/dev/null 2>&1 & worker=$!
            sleep 600 >/dev/null 2>&1 & service=$!
            trap 'kill "$worker" "$service" 2>/dev/null || true' EXIT
            record_process "$original/run/workers/location-worker-1.pid" "$worker"
            record_process "$original/run/kafka.pid" "$service"
            echo 'export KAFKA_BOOTSTRAP_SERVERS=127.0.0.1:1' >"$original/run/env"
            identity_of "$original" >"$original/data/owner"
            printf '%s' "$original/data" >"$original/postgres.path"
            cp -a "$original" "$copy"
            report() { kill -0 "$1" 2>/dev/null && echo "$2 runs" || echo "$2 has ended"; }

            """
        let result = try Checkout.run(
            URL(fileURLWithPath: "/bin/bash"), ["-c", start + script, Checkout.root.path, folder.path])
        #expect(result.code == 0, "\(result.output)")
        return result.output
    }

    @Test("stopping the copy ends no process of the original")
    func stopSparesOriginalProcesses() throws {
        let output = try run(
            """
            SIGHTLINE_LOCAL_DIR=$copy deploy/local/workers status
            SIGHTLINE_LOCAL_DIR=$copy deploy/local/workers stop
            SIGHTLINE_LOCAL_DIR=$copy deploy/local/stack stop
            report "$worker" worker
            report "$service" service
            """)
        #expect(output.contains("worker runs\nservice runs\n"), "\(output)")
        #expect(output.contains("is a copy of another stack's folder"), "\(output)")
    }

    @Test("the copy has its own Postgres data and does not delete the original's data")
    func separatePostgresData() throws {
        let output = try run(
            """
            local_dir=$(SIGHTLINE_LOCAL_DIR=$copy local_state "$0") other_kafka= run_as=()
            source deploy/local/services.sh
            # As if a backup had restored only the path file.
            cp "$original/postgres.path" "$copy/postgres.path"
            id() { echo 1000; }
            echo "data: $(postgres_data)"
            postgres_empty
            postgres_forget
            [[ -d $original/data/cluster ]] && echo "the original has its data"
            """)
        #expect(output.contains("data: \(folder.path)/copy/postgres\n"), "\(output)")
        #expect(output.contains("the original has its data"), "\(output)")
    }

    @Test("the copy's programs do not use the addresses of the original")
    func originalAddressesIgnored() throws {
        let output = try run(
            """
            unset KAFKA_BOOTSTRAP_SERVERS
            source deploy/local/programs.sh
            load_addresses "$0" "$(SIGHTLINE_LOCAL_DIR=$copy local_state "$0")"
            echo "address: ${KAFKA_BOOTSTRAP_SERVERS:-unset}"
            """)
        #expect(output.contains("address: unset\n"), "\(output)")
    }

    @Test("the original keeps its state, even after it is moved")
    func originalKeepsState() throws {
        let output = try run(
            """
            SIGHTLINE_LOCAL_DIR=$original local_state "$0"
            [[ $(process_of "$original/run/kafka.pid") == "$service" ]] && echo "same process before the move"
            mv "$original" "$1/moved"
            SIGHTLINE_LOCAL_DIR=$1/moved local_state "$0"
            [[ $(process_of "$1/moved/run/kafka.pid") == "$service" ]] && echo "same process after the move"
            """)
        #expect(output.contains("same process before the move"), "\(output)")
        #expect(output.contains("same process after the move"), "\(output)")
    }

    @Test("a copy moved to the original's path is still detected as a copy")
    func copyAtOriginalPath() throws {
        let output = try run(
            """
            mv "$original" "$1/aside"
            mv "$copy" "$original"
            SIGHTLINE_LOCAL_DIR=$original deploy/local/workers stop
            report "$worker" worker
            """)
        #expect(output.contains("worker runs\n"), "\(output)")
    }
}
