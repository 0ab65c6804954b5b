/// What satellite receivers do whose signals are drowned or forged.
enum JammingKind: String, CaseIterable, Sendable {
    /// Each receiver puts itself somewhere else every few seconds, hundreds of metres to kilometres off.
    case leaps
    /// All put themselves at one place 10 km away, as around airports that are protected against drones.
    case capture
    /// All drift away together at 8 m/s, as with a forger who takes over slowly, and leap back at the end.
    case drift
    /// Nothing is jammed: one driver in twelve cheats, each on its own.
    case cheaters
}
