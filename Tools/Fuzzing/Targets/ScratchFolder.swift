import Foundation
import Support

/// A folder of files that are written anew for every input; removed with the process.
final class ScratchFolder {
    let path: String

    init() {
        let place = FileManager.default.temporaryDirectory.appending(path: "sightline-fuzz-\(getpid())")
        path = place.path
        guard (try? FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)) != nil else {
            preconditionFailure("There is room for temporary files.")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and answers its path.
    func write(_ bytes: ByteSlice, to name: String) -> String {
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { preconditionFailure("A temporary file can be written.") }
        defer { close(descriptor) }
        guard Foundation.write(descriptor, bytes.start, bytes.count) == bytes.count else {
            preconditionFailure("A temporary file can be written.")
        }
        return file
    }
}
