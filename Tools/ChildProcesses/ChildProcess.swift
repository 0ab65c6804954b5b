import CSpawn
import Foundation
import Synchronization

/// A child process.
///
/// Foundation's `Process` considers a child running while any descendant keeps an inherited descriptor, so a script
/// that starts a service would seem to run forever. This class considers only the process itself.
package final class ChildProcess: Sendable {
    /// How a process ended.
    package enum Ending: Hashable, Sendable, CustomStringConvertible {
        case exit(Int32)
        case signal(Int32)

        package var description: String {
            switch self {
            case .exit(let code): "exit code \(code)"
            case .signal(let number): "signal \(number)"
            }
        }

        /// The exit code, or 128 plus the signal number, as in shells.
        package var code: Int32 {
            switch self {
            case .exit(let code): code
            case .signal(let number): 128 + number
            }
        }
    }

    /// Destination of standard output and standard error.
    package enum Output: Sendable {
        case discarded
        /// Appends both to this file, which is created if absent.
        case file(String)
        /// Appends standard output to this file; standard error goes to the standard error of this process.
        case outputFile(String)
    }

    /// Id of the process and of its process group.
    package let id: Int32
    /// Ending of the process; `nil` until the process was reaped.
    private let reapedEnding = Mutex<Ending?>(nil)

    /// Starts a program with empty standard input.
    ///
    /// `program`: a path, or a name that is searched in `PATH`. `environment` and `folder` (the working directory)
    /// default to those of this process.
    /// - Throws: ``ChildProcessError`` if the program does not start.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, folder: String? = nil,
        output: Output = .discarded
    ) throws(ChildProcessError) {
        let (standardOutput, standardError) = try Self.open(output)
        defer { if standardOutput > STDERR_FILENO { close(standardOutput) } }
        let variables = environment ?? ProcessInfo.processInfo.environment
        var argv = ([program] + arguments).map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var id: pid_t = 0
        let error = sl_spawn_child(program, &argv, &envp, folder, standardOutput, standardError, &id)
        guard error == 0 else {
            throw ChildProcessError("\(program) does not start: \(String(cString: strerror(error))).")
        }
        self.id = id
    }

    deinit { end() }

    /// Exit code or signal; `nil` while the process runs.
    package var ending: Ending? { reapedEnding.withLock { Self.poll(&$0, id) } }

    package var isRunning: Bool { ending == nil }

    /// Sends a signal; has no effect after the process has ended.
    package func send(_ signal: Int32) {
        // Under the lock, because after this process was reaped, its id may belong to another process.
        reapedEnding.withLock { ending in if Self.poll(&ending, id) == nil { kill(id, signal) } }
    }

    /// Blocks until the process ends.
    @discardableResult
    package func wait() -> Ending {
        while true {
            // Checked first, because after this process was reaped, its id may belong to another child.
            if let ending { return ending }
            var info = siginfo_t()
            // Waits without reaping (WNOWAIT), because reaping requires the lock.
            if waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0 {
                let error = errno
                // ECHILD: another thread has reaped the process.
                precondition(error == EINTR || ending != nil, "Process \(id) is not a child of this process.")
            }
        }
    }

    /// Kills the process and its group if it still runs, and waits for its end.
    package func end() {
        reapedEnding.withLock { ending in if Self.poll(&ending, id) == nil { kill(-id, SIGKILL) } }
        wait()
    }

    private static func poll(_ ending: inout Ending?, _ id: pid_t) -> Ending? {
        guard ending == nil else { return ending }
        var status: Int32 = 0
        guard waitpid(id, &status, WNOHANG) == id else { return nil }
        // Bits 0 to 6 contain the signal, bits 8 to 15 the exit code.
        let signal = status & 0x7f
        ending = signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
        return ending
    }

    private static func open(_ output: Output) throws(ChildProcessError) -> (output: Int32, error: Int32) {
        let path =
            switch output {
            case .discarded: "/dev/null"
            case .file(let path), .outputFile(let path): path
            }
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ChildProcessError("Cannot write \(path): \(String(cString: strerror(errno))).")
        }
        if case .outputFile = output { return (descriptor, STDERR_FILENO) }
        return (descriptor, descriptor)
    }
}

extension ChildProcess {
    /// Runs a program to its end and returns its output.
    ///
    /// `environment` and `folder` default to those of this process. `includesErrors`: whether the returned output
    /// contains standard error; if not, standard error goes to the standard error of this process.
    /// - Throws: ``ChildProcessError`` if the program does not start.
    package static func run(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, folder: String? = nil,
        includesErrors: Bool = true
    ) throws -> (ending: Ending, output: Data) {
        // A file instead of a pipe, because a service that the program starts would keep the pipe open.
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("child-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let process = try ChildProcess(
            program, arguments, environment: environment, folder: folder,
            output: includesErrors ? .file(path) : .outputFile(path))
        let ending = process.wait()
        return (ending, try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

/// Failure to run a program, or to find a port for it.
package struct ChildProcessError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
