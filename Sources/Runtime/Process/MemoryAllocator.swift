#if canImport(CJemalloc)
    import CJemalloc
#endif

/// The linked memory allocator.
///
/// librdkafka allocates several times per record, and mostly frees on another thread or in another order. jemalloc
/// needs half the time of the C library's allocator for that. Linking jemalloc replaces that allocator; `malloc_conf.c`
/// has its settings.
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
