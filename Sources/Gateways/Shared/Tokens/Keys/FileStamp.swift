import Glibc

/// By what a changed file can be told without reading it.
enum FileStamp: Equatable {
    case absent
    /// Links are followed, as the files of a Kubernetes secret are links whose target changes. The time of the last
    /// change of rights is part of it, because a file may be unreadable until its rights are right.
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
