import ChildProcesses
import Foundation
import TestSupport
import Testing

@Suite("Child processes", .blocking, .timeLimit(.minutes(5)))
struct ChildProcessTests {
    private func shell(_ script: String, folder: String? = nil) throws -> (ending: ChildProcess.Ending, text: String) {
        let result = try ChildProcess.run("/bin/sh", ["-c", script], folder: folder)
        return (result.ending, String(decoding: result.output, as: UTF8.self))
    }

    @Test("exit codes and signals are told apart")
    func endings() throws {
        #expect(try shell("exit 0").ending == .exit(0))
        #expect(try shell("exit 255").ending == .exit(255))
        #expect(try shell("kill -TERM $$").ending == .signal(SIGTERM))
        #expect(ChildProcess.Ending.signal(9).code == 137 && ChildProcess.Ending.exit(3).code == 3)
    }

    @Test("the end is seen while a descendant runs on and keeps the output open")
    func descendants() throws {
        let (ending, text) = try shell("sleep 300 & echo $!")
        #expect(ending == .exit(0))
        let descendant = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(descendant, SIGKILL) == 0, "it still ran")
    }

    @Test("ending a process ends those that it started in its group, even while it is stopped")
    func group() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("group-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let process = try ChildProcess("/bin/sh", ["-c", "sleep 300 & echo $!; wait"], output: .file(path))
        var descendant: Int32?
        try await eventually("the shell names its child") {
            descendant = Int32(try String(contentsOfFile: path, encoding: .utf8).dropLast())
            return descendant != nil
        }
        process.send(SIGSTOP)
        #expect(process.isRunning && process.ending == nil)
        process.end()
        #expect(process.ending == .signal(SIGKILL))
        let id = try #require(descendant)
        try await eventually("the descendant is gone") {
            let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
            return stat?.contains(") Z ") ?? true
        }
        // Neither does anything after the end.
        process.send(SIGTERM)
        process.end()
    }

    @Test("it starts in the folder and the environment asked for, without descriptors of this process")
    func surroundings() throws {
        #expect(try shell("pwd", folder: "/usr").text == "/usr\n")
        #expect(try shell("pwd").text == FileManager.default.currentDirectoryPath + "\n")
        let empty = try ChildProcess.run("/usr/bin/env", environment: ["ONE": "1 = 1"])
        #expect(String(decoding: empty.output, as: UTF8.self) == "ONE=1 = 1\n")
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        #expect(try shell("[ -e /proc/self/fd/\(descriptor) ] && echo open").text.isEmpty)
    }

    @Test("standard error is part of the output, unless it is left out; what it reads is empty")
    func streams() throws {
        #expect(try shell("echo one; echo two >&2; cat").text == "one\ntwo\n")
        let alone = try ChildProcess.run("/bin/sh", ["-c", "echo one; echo of the test >&2"], includesErrors: false)
        #expect(String(decoding: alone.output, as: UTF8.self) == "one\n")
    }

    @Test("a program that is not there is an error that names it")
    func missing() {
        do {
            _ = try ChildProcess.run("no-such-program")
            Issue.record("It started.")
        } catch {
            #expect("\(error)" == "no-such-program does not start: No such file or directory.")
        }
    }

    @Test("a free port can be listened on")
    func freePort() throws {
        let port = try FreePort.take()
        let listener = try Loopback.listen(port: port)
        #expect(listener.port == port)
        close(listener.socket)
    }
}
