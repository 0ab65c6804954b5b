import CSpawn
import Foundation
import Synchronization

/// A program that runs as a child of this process.
///
/// Not Foundation's `Process`, for which a child runs as long as any descendant keeps a descriptor that it inherited:
/// the end of a script that leaves a service running would never be seen. This one ends when its process does.
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

        /// The exit code; 128 plus the signal's number after a signal, as shells say it.
        package var code: Int32 {
            switch self {
            case .exit(let code): code
            case .signal(let number): 128 + number
            }
        }
    }

    /// Where standard output and standard error go.
    package enum Output: Sendable {
        case discarded
        /// Both are appended to this file, which is created if it is absent.
        case file(String)
        /// Standard output is appended to this file; standard error is this process's own.
        case outputFile(String)
    }

    /// The process identifier, which is also that of its process group.
    package let id: Int32
    /// `nil` until the process was seen to have ended.
    private let known = Mutex<Ending?>(nil)

    /// Starts a program, with nothing on its standard input.
    ///
    /// `program`: a path, or a name that is looked up in `PATH`. `environment`: in place of this process's own, where it
    /// is given. `folder`: the working directory; this process's own where it is `nil`.
    /// - Throws: ``ChildProcessError`` when it does not start.
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

    /// As ``end()``.
    deinit { end() }

    /// How the process ended; `nil` while it runs.
    package var ending: Ending? { known.withLock { Self.look(&$0, id) } }

    package var isRunning: Bool { ending == nil }

    /// Sends a signal to the process; after its end nothing happens.
    package func send(_ signal: Int32) {
        // Under the lock, so that the number cannot have become another process's.
        known.withLock { known in if Self.look(&known, id) == nil { kill(id, signal) } }
    }

    /// Blocks until the process ends.
    @discardableResult
    package func wait() -> Ending {
        while true {
            // Before the wait: once the ending is known, the number may be another child's.
            if let ending { return ending }
            var info = siginfo_t()
            // Only waits: the lock is needed to take the ending, and must not be held meanwhile.
            if waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0 {
                let error = errno
                // ECHILD: another thread has taken the ending meanwhile.
                precondition(error == EINTR || ending != nil, "The process \(id) is not a child of this one.")
            }
        }
    }

    /// Ends the process and those of its group if it still runs; after its end nothing happens.
    package func end() {
        known.withLock { known in if Self.look(&known, id) == nil { kill(-id, SIGKILL) } }
        wait()
    }

    private static func look(_ known: inout Ending?, _ id: pid_t) -> Ending? {
        guard known == nil else { return known }
        var status: Int32 = 0
        guard waitpid(id, &status, WNOHANG) == id else { return nil }
        // The low bits name a signal, the next ones the exit code.
        let signal = status & 0x7f
        known = signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
        return known
    }

    private static func open(_ output: Output) throws(ChildProcessError) -> (output: Int32, error: Int32) {
        let path =
            switch output {
            case .discarded: "/dev/null"
            case .file(let path), .outputFile(let path): path
            }
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ChildProcessError("\(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        if case .outputFile = output { return (descriptor, STDERR_FILENO) }
        return (descriptor, descriptor)
    }
}
