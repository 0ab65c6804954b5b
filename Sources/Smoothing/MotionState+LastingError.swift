extension MotionState {
    /// What the residuals of the last half minute have in common, in 8 bytes.
    package struct LastingError: Sendable, Equatable {
        /// Variance per axis of what lasts, m², from 0 to ``greatestVariance``.
        package var variance: Float = 0
        /// The recent mean of fix minus estimate, in 1/128 m.
        package var meanEast: Int16 = 0
        package var meanNorth: Int16 = 0

        /// Residuals count as if they were at most this, in metres.
        static let limitMeters = 255.0
        static let greatestVariance: Float = 65_536
        private static let unitsPerMeter = 128.0

        package init() {}

        /// A residual within the limit, in metres; what is no number counts as the limit.
        @inline(__always)
        static func bounded(_ meters: Double) -> Double {
            meters < limitMeters ? (meters > -limitMeters ? meters : -limitMeters) : limitMeters
        }

        var meanEastMeters: Double {
            @inline(__always) get { Double(meanEast) / Self.unitsPerMeter }
            @inline(__always) set { meanEast = Int16((Self.bounded(newValue) * Self.unitsPerMeter).rounded()) }
        }

        var meanNorthMeters: Double {
            @inline(__always) get { Double(meanNorth) / Self.unitsPerMeter }
            @inline(__always) set { meanNorth = Int16((Self.bounded(newValue) * Self.unitsPerMeter).rounded()) }
        }

        /// Forgets the residuals of a track that was given up, not how much lasts.
        mutating func forgetResidual() { (meanEast, meanNorth) = (0, 0) }
    }
}
