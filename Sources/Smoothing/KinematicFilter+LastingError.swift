/// Errors that stay: what many fixes of a receiver have in common counts once, and is told in the accuracy.
extension KinematicFilter {
    /// How many fixes share one measurement's worth of information, from 1 on.
    ///
    /// A receiver that answers more often than once in ``SmoothingSettings/independenceSeconds`` gives the same error
    /// several times.
    @inline(__always)
    func fixesAtOnce(every seconds: Double) -> Double {
        max(1, settings.independenceSeconds / max(seconds, 0.05))
    }

    /// Takes in how far a fix is from the estimate that has taken it in, in metres.
    ///
    /// Noise that changes from fix to fix leaves residuals that are independent of the mean of those before, and their
    /// product is zero in the mean. With errors that last they agree: the product is the variance of what lasts.
    @inline(__always)
    func learnLastingError(_ state: inout MotionState, east: Double, north: Double, seconds: Double) {
        let share = max(0, seconds) / (max(0, seconds) + settings.lastingErrorSeconds)
        let east = MotionState.LastingError.bounded(east)
        let north = MotionState.LastingError.bounded(north)
        let product = (east * state.lasting.meanEastMeters + north * state.lasting.meanNorthMeters) / 2
        let variance = Double(state.lasting.variance)
        state.lasting.variance = Float(max(0, variance + share * (product - variance)))
        state.lasting.meanEastMeters += share * (east - state.lasting.meanEastMeters)
        state.lasting.meanNorthMeters += share * (north - state.lasting.meanNorthMeters)
    }
}
