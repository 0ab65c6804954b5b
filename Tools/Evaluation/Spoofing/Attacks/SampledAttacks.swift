/// What was made of attacks on hosts that take a fix every so many seconds.
struct SampledAttacks: Sendable {
    var seconds: Double
    var hosts: Int
    var scores: AttackScores
}
