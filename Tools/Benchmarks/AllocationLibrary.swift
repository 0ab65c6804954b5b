import Foundation

/// The library that counts a worker's allocations when it is preloaded.
enum AllocationLibrary {
    /// Where it lies beside this program; `nil` where it was not built.
    static var path: String? {
        guard let own = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return nil }
        let path = own.deletingLastPathComponent().appendingPathComponent("liballocation-count.so").path
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }
}
