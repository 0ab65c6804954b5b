#if canImport(CJemalloc)
    import CJemalloc
#endif

/// Who answers the process's calls for memory.
///
/// The client library makes several per record, most of them freed by another thread or in another order: jemalloc
/// does that in half the time of the C library's allocator. It replaces it by being linked, with the settings of
/// `malloc_conf.c`.
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
}
