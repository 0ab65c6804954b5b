#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import Foundation

/// Bytes of a file, plain or gzip, or of standard input.
///
/// Gzip is unpacked by the `gzip` program in a process of its own, which costs no library and a second core instead.
/// Standard input is taken as it comes: `gzip -dc FILE | sightline …` is for those who have it packed.
final class InputFile {
    private let descriptor: Int32
    private let unpacker: Foundation.Process?
    private let output: Pipe?
    private let path: String

    /// Opens a file; `nil` and `-` are standard input.
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

    deinit {
        if let unpacker {
            if unpacker.isRunning { unpacker.terminate() }
        } else if descriptor > 0 {
            close(descriptor)
        }
    }

    /// Reads what is there into `buffer`.
    /// - Returns: the number of bytes; 0 at the end.
    /// - Throws: ``InputError``, also when a packed file turns out to be broken.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            #if canImport(Glibc)
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
                let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
            #else
                let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
            #endif
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
        // 2 is gzip's warning, such as for trailing zeros after the packed data.
        guard unpacker.terminationStatus == 0 || unpacker.terminationStatus == 2 else {
            throw InputError("\(path) is not a whole gzip file; gzip could not unpack it.")
        }
    }

    /// Whether the file begins with gzip's magic number (RFC 1952); leaves it at its beginning.
    private static func isGzip(_ file: Int32, path: String) throws -> Bool {
        var magic: (UInt8, UInt8) = (0, 0)
        let count = withUnsafeMutableBytes(of: &magic) { pread(file, $0.baseAddress, 2, 0) }
        guard count >= 0 else {
            // A pipe or a directory: neither is searched for a magic number.
            if errno == ESPIPE { return false }
            let reason = String(cString: strerror(errno))
            close(file)
            throw InputError("\(path) cannot be read: \(reason).")
        }
        return count == 2 && magic == (0x1f, 0x8b)
    }

    private static func unpack(_ file: Int32, path: String) throws -> (Foundation.Process, Pipe) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        let programs = folders.map { "\($0)/gzip" }
        guard let gzip = programs.first(where: { access($0, X_OK) == 0 }) else {
            close(file)
            throw InputError("\(path) is packed and there is no gzip program; install gzip or unpack the file.")
        }
        let (process, pipe) = (Foundation.Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: gzip)
        process.arguments = ["-dc"]
        process.standardInput = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw InputError("\(path) cannot be unpacked: \(gzip) does not start.")
        }
        return (process, pipe)
    }
}
