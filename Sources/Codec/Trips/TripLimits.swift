package enum TripLimits {
    /// Bytes of a record; over twice ``polylineBytes``, because escaped backslashes can double a polyline.
    package static let recordBytes = 256 * 1024
    package static let stops = 200
    package static let polylineBytes = 64 * 1024
    /// Bytes of the context object, without white space.
    package static let contextBytes = 8 * 1024
    /// Bytes of the facts, without white space.
    package static let factsBytes = 4 * 1024
}
