import Simulation

extension SimulatedPhone {
    /// What the positions of a device are like, whatever its model.
    struct Receiver {
        let rounding: CoordinateRounding
        /// Whether the receiver smooths what it measures, as data loggers do: its error is small and drifts, and has no
        /// part that is drawn anew for each fix.
        let isSmooth: Bool

        /// The error of a smooth receiver is this share of a phone's, and does not grow between buildings.
        static let smoothShare = 0.15

        /// Each rounding as often as the others, smooth or not.
        init(random: inout RandomSource) {
            rounding = CoordinateRounding(random: &random)
            isSmooth = random.chance(0.5)
        }
    }
}
