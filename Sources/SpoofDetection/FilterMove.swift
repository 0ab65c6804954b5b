import Model

/// Where the filter was before it took a fix in.
struct FilterMove {
    var origin: Coordinate
}
