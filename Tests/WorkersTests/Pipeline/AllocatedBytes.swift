#if canImport(CAllocationCount)
    import CAllocationCount
#endif

/// Counter of heap allocations.
enum AllocatedBytes {
    /// Returns the bytes that `work` allocates on this thread, including freed ones: an upper bound of its memory.
    ///
    /// Returns 0 under a sanitizer, which replaces the allocator.
    static func during(_ work: () -> Void) -> Int {
        #if canImport(CAllocationCount)
            let before = sl_allocated_bytes()
            work()
            return Int(sl_allocated_bytes() - before)
        #else
            work()
            return 0
        #endif
    }
}
