/// How far off a row of the interval table is, in its own units: tenth percentile, median and ninetieth.
///
/// In the precision in which it is stored.
struct LearnedSpread: Sendable, Equatable {
    var low: Float
    var middle: Float
    var high: Float
}
