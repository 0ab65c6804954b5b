import Foundation

extension ChildProcess {
    /// Runs a program to its end.
    ///
    /// `environment`: in place of this process's own, where it is given. `includesErrors`: whether what it writes to
    /// standard error is part of the output; otherwise it goes to this process's own.
    /// - Returns: how it ended, and what it wrote.
    /// - Throws: ``ChildProcessError`` when it does not start.
    package static func run(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, folder: String? = nil,
        includesErrors: Bool = true
    ) throws -> (ending: Ending, output: Data) {
        // A file, not a pipe: a service that the program leaves running would keep the pipe's end open.
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("child-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let process = try ChildProcess(
            program, arguments, environment: environment, folder: folder,
            output: includesErrors ? .file(path) : .outputFile(path))
        let ending = process.wait()
        return (ending, try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
