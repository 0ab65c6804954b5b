import Foundation
import Glibc

/// A JSON Web Key Set; unreadable keys do not prevent the use of others.
struct KeyFile {
    /// Maximum size of the file, enough for thousands of keys.
    private static let maximumByteCount = 1 << 20

    let path: String
    let entries: [KeyFileEntry]

    /// - Throws: an error if the file is unreadable, too large or not a key set.
    init(_ path: String) throws(TokenConfigurationError) {
        self.path = path
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: Self.maximumByteCount + 1) ?? Data()
        else {
            throw .keyFile(path, "the file cannot be read; check its path and permissions.")
        }
        guard data.count <= Self.maximumByteCount else {
            throw .keyFile(path, "the file is larger than 1 MiB; it may contain only token keys.")
        }
        do {
            entries = try JSONDecoder().decode(Content.self, from: data).keys
        } catch {
            throw .keyFile(
                path, "the file is not a JSON Web Key Set, such as {\"keys\":[{\"kty\":\"RSA\",\"kid\":…}]}.")
        }
    }

    private struct Content: Decodable {
        let keys: [KeyFileEntry]
    }
}

/// Version of a file, determined without reading it.
enum FileVersion: Equatable {
    case absent
    /// The target of links, because files of a Kubernetes secret are links whose target changes. The change time is
    /// included, because a change of permissions alone may make a file readable.
    case present(inode: UInt, byteCount: Int, written: [Int], changed: [Int])

    init(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self = .absent
            return
        }
        self = .present(
            inode: UInt(status.st_ino), byteCount: Int(status.st_size),
            written: [Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)],
            changed: [Int(status.st_ctim.tv_sec), Int(status.st_ctim.tv_nsec)])
    }
}
