#if canImport(CAllocationCount)
    import CAllocationCount
#endif

/// Counts what code takes from the heap.
enum AllocatedBytes {
    /// Bytes that `work` asks for on this thread, whether it gives them back or not: its memory never grows by more, and
    /// the number does not depend on what other threads do.
    ///
    /// 0 under a sanitizer, which answers calls for memory itself.
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
