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

    @Test("an ending distinguishes exit codes from signals")
    func endings() throws {
        #expect(try shell("exit 0").ending == .exit(0))
        #expect(try shell("exit 255").ending == .exit(255))
        #expect(try shell("kill -TERM $$").ending == .signal(SIGTERM))
        #expect(ChildProcess.Ending.signal(9).code == 137 && ChildProcess.Ending.exit(3).code == 3)
    }

    @Test("the end of a process is detected while a descendant keeps its output open")
    func endWithRunningDescendant() throws {
        let (ending, text) = try shell("sleep 300 & echo $!")
        #expect(ending == .exit(0))
        let descendant = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(descendant, SIGKILL) == 0, "the descendant ended with its parent")
    }

    @Test("ending a process also ends its process group, even if the process is stopped")
    func endsProcessGroup() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("group-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let process = try ChildProcess("/bin/sh", ["-c", "sleep 300 & echo $!; wait"], output: .file(path))
        var descendant: Int32?
        try await eventually("the shell prints the id of its child") {
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
        // After the end, a signal and another end have no effect.
        process.send(SIGTERM)
        process.end()
    }

    @Test("a process gets the given folder and environment, and inherits no descriptors")
    func folderAndEnvironment() throws {
        #expect(try shell("pwd", folder: "/usr").text == "/usr\n")
        #expect(try shell("pwd").text == FileManager.default.currentDirectoryPath + "\n")
        let empty = try ChildProcess.run("/usr/bin/env", environment: ["ONE": "1 = 1"])
        #expect(String(decoding: empty.output, as: UTF8.self) == "ONE=1 = 1\n")
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        #expect(try shell("[ -e /proc/self/fd/\(descriptor) ] && echo open").text.isEmpty)
    }

    @Test("the output includes standard error unless excluded; standard input is empty")
    func outputStreams() throws {
        #expect(try shell("echo one; echo two >&2; cat").text == "one\ntwo\n")
        let result = try ChildProcess.run("/bin/sh", ["-c", "echo one; echo of the test >&2"], includesErrors: false)
        #expect(String(decoding: result.output, as: UTF8.self) == "one\n")
    }

    @Test("starting a missing program throws an error with its name")
    func missingProgram() {
        do {
            _ = try ChildProcess.run("no-such-program")
            Issue.record("The missing program started.")
        } catch {
            #expect("\(error)" == "no-such-program does not start: No such file or directory.")
        }
    }

    @Test("a listener can bind a free port")
    func freePort() throws {
        let port = try FreePort.find()
        let listener = try Loopback.listen(port: port)
        #expect(listener.port == port)
        close(listener.socket)
    }
}
