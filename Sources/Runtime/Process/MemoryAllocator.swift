#if canImport(CJemalloc)
    import CJemalloc
#endif

/// The linked memory allocator.
///
/// librdkafka allocates several times per record, and mostly frees on another thread or in another order. For this,
/// jemalloc needs half the time of the C library's allocator, which it replaces when linked (settings:
/// `malloc_conf.c`).
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
