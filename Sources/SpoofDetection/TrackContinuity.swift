/// How a fix goes on from the last one believed.
enum TrackContinuity {
    /// Within reach of it.
    case continues
    /// Elsewhere, and the filter starts over there.
    case startsOver
    /// Elsewhere, and not believed.
    case isJump
}
