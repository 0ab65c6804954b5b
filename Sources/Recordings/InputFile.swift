import Foundation
import Glibc

/// Reader of the bytes of a plain or gzip file, of a member of a zip archive, or of standard input.
///
/// The `gzip` and `unzip` programs decompress in a separate process, so no library is linked and a second core is used.
/// Standard input is not decompressed; use `gzip -dc FILE | sightline …`.
final class InputFile {
    private let descriptor: Int32
    private let unpacker: Foundation.Process?
    private let output: Pipe?
    private let path: String

    /// Opens a file; `nil` and `-` mean standard input.
    init(path: String?) throws {
        guard let path, path != "-" else {
            (self.path, descriptor, unpacker, output) = ("standard input", 0, nil, nil)
            return
        }
        self.path = path
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw InputError("\(path) cannot be opened: \(String(cString: strerror(errno))).") }
        guard try Self.isGzip(file, path: path) else {
            (descriptor, unpacker, output) = (file, nil, nil)
            return
        }
        let (process, pipe) = try Self.unpack(file, path: path)
        (descriptor, unpacker, output) = (pipe.fileHandleForReading.fileDescriptor, process, pipe)
    }

    /// Opens a member in any folder of a zip archive; a missing member is empty.
    init(member: String, ofZip archive: String) throws {
        path = "\(member) of \(archive)"
        let unzip = try Self.program("unzip", for: archive)
        let input = FileHandle.nullDevice
        let (process, pipe) = try Self.start(
            unzip, ["-p", "-qq", archive, member, "*/\(member)"], input: input, for: archive)
        (descriptor, unpacker, output) = (pipe.fileHandleForReading.fileDescriptor, process, pipe)
    }

    deinit {
        if let unpacker {
            if unpacker.isRunning { unpacker.terminate() }
        } else if descriptor > 0 {
            close(descriptor)
        }
    }

    /// Reads available bytes into `buffer`.
    /// - Returns: the number of bytes; 0 at the end.
    /// - Throws: ``InputError``, also if a compressed file is damaged.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { return count }
            if count == 0 {
                try checkUnpacker()
                return 0
            }
            guard errno == EINTR else {
                throw InputError("\(path) cannot be read: \(String(cString: strerror(errno))).")
            }
        }
    }

    private func checkUnpacker() throws {
        guard let unpacker else { return }
        unpacker.waitUntilExit()
        // Status 2 of gzip and 1 of unzip are warnings, such as for trailing zeros; 11 of unzip means that the archive
        // has no such member.
        let isZip = unpacker.executableURL?.lastPathComponent == "unzip"
        guard (isZip ? [0, 1, 11] : [0, 2]).contains(unpacker.terminationStatus) else {
            throw InputError("\(path) is damaged; \(isZip ? "unzip" : "gzip") could not decompress it.")
        }
    }

    /// Returns whether the file begins with gzip's magic number (RFC 1952); does not move the read position.
    private static func isGzip(_ file: Int32, path: String) throws -> Bool {
        var magic: (UInt8, UInt8) = (0, 0)
        let count = withUnsafeMutableBytes(of: &magic) { pread(file, $0.baseAddress, 2, 0) }
        guard count >= 0 else {
            // `pread` does not work on pipes.
            if errno == ESPIPE { return false }
            let reason = String(cString: strerror(errno))
            close(file)
            throw InputError("\(path) cannot be read: \(reason).")
        }
        return count == 2 && magic == (0x1f, 0x8b)
    }

    private static func unpack(_ file: Int32, path: String) throws -> (Foundation.Process, Pipe) {
        let input = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        return try start(program("gzip", for: path), ["-dc"], input: input, for: path)
    }

    private static func program(_ name: String, for path: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        let programs: [String] = folders.map { "\($0)/\(name)" }
        guard let program = programs.first(where: { access($0, X_OK) == 0 }) else {
            throw InputError(
                "\(path) is compressed and no \(name) program was found; install \(name) or decompress the file.")
        }
        return program
    }

    private static func start(
        _ program: String, _ arguments: [String], input: FileHandle, for path: String
    ) throws -> (Foundation.Process, Pipe) {
        let (process, pipe) = (Foundation.Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw InputError("\(path) cannot be decompressed: \(program) does not start.")
        }
        return (process, pipe)
    }
}

/// Error about an input file, described in one sentence.
package struct InputError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
