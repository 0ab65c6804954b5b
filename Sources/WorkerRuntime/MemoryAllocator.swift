#if canImport(CJemalloc)
    import CJemalloc
    import Foundation
#endif

/// Who answers the process's calls for memory.
///
/// The client library makes several per record, most of them freed by another thread or in another order: jemalloc
/// does that in half the time of the C library's allocator. It replaces it by being linked.
enum MemoryAllocator {
    /// Name and version, for the log.
    static var name: String {
        #if canImport(CJemalloc)
            var version: UnsafePointer<CChar>?
            var size = MemoryLayout.size(ofValue: version)
            if mallctl("version", &version, &size, nil, 0) == 0, let version {
                return "jemalloc \(String(cString: version).prefix { $0 != "-" })"
            }
        #endif
        return "the C library's"
    }

    /// Has memory that a backlog took go back to the system within a second.
    ///
    /// By default it takes ten seconds of allocating, and an idle worker stays at twice its size. What `MALLOC_CONF`
    /// says comes first.
    static func giveBackSoon() {
        #if canImport(CJemalloc)
            guard ProcessInfo.processInfo.environment["MALLOC_CONF"] == nil else { return }
            var milliseconds = 500
            let size = MemoryLayout.size(ofValue: milliseconds)
            // The arenas to come, and the one that is there.
            for name in ["arenas.dirty_decay_ms", "arenas.muzzy_decay_ms", "arena.0.dirty_decay_ms"] {
                _ = mallctl(name, nil, nil, &milliseconds, size)
            }
            var isOn = true
            _ = mallctl("background_thread", nil, nil, &isOn, MemoryLayout.size(ofValue: isOn))
        #endif
    }
}
