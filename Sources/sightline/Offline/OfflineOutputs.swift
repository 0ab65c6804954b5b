import Foundation
import Recordings
import Support

/// The output files of `sightline process`.
struct OfflineOutputs {
    let verdicts: OutputFile
    let etas: OutputFile?
    let updates: OutputFile?
    let warnings: OutputFile?
    let deadLetters: OutputFile?

    init(verdicts: String, etas: String?, updates: String?, warnings: String?, deadLetters: String?) throws {
        self.verdicts = try OutputFile(path: verdicts)
        self.etas = try etas.map { try OutputFile(path: $0) }
        self.updates = try updates.map { try OutputFile(path: $0) }
        self.warnings = try warnings.map { try OutputFile(path: $0) }
        self.deadLetters = try deadLetters.map { try OutputFile(path: $0) }
    }

    func close() throws {
        for file in [verdicts, etas, updates, warnings, deadLetters].compactMap({ $0 }) { try file.close() }
    }
}

/// A file written line by line, buffered.
final class OutputFile {
    private let path: String
    private let stream: UnsafeMutablePointer<FILE>

    /// Creates or truncates a file; `-` is standard output.
    init(path: String) throws {
        self.path = path
        let opened: UnsafeMutablePointer<FILE>? = path == "-" ? fdopen(1, "w") : fopen(path, "w")
        guard let opened else { throw InputError("Cannot write \(path): \(String(cString: strerror(errno))).") }
        stream = opened
        setvbuf(opened, nil, _IOFBF, 1 << 18)
    }

    /// Writes a line; `null` for `nil` (a tombstone).
    func write(line: ByteSlice?) throws {
        if let line {
            fwrite(line.start, 1, line.count, stream)
        } else {
            fputs("null", stream)
        }
        putc(10, stream)
        try check()
    }

    func close() throws {
        fflush(stream)
        try check()
        if path != "-" { fclose(stream) }
    }

    private func check() throws {
        guard ferror(stream) != 0 else { return }
        // The reader has closed standard output.
        if errno == EPIPE { exit(0) }
        throw InputError("Cannot write \(path): \(String(cString: strerror(errno))).")
    }
}
