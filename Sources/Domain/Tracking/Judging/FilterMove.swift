/// Where the filter was before it took a fix in.
struct FilterMove {
    var origin: Coordinate
    /// Fixes in a row that it had held off by then.
    var heldOffFixes: UInt8
}
