import Glibc

/// Identifies the version of a file without reading it.
enum FileVersion: Equatable {
    case absent
    /// Follows links, because files of a Kubernetes secret are links whose target changes. Includes the change time,
    /// because a change of permissions alone may make a file readable.
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
