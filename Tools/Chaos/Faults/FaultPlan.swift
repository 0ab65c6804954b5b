import TestSupport

/// Which faults a seed brings, in which order.
///
/// Every kind is on a card; decks of all cards are shuffled one after the other and dealt to seeds 1, 2, 3, … in turn.
/// So any run of seeds as long as a deck meets every kind, and a seed means the same faults in every run.
struct FaultPlan {
    let seed: UInt64
    let faults: [FaultKind]

    init(seed: UInt64, faultsPerSeed: Int = 3, kinds: [FaultKind] = FaultKind.allCases) {
        self.seed = seed
        let first = Int(clamping: seed &- 1) * faultsPerSeed
        let dealt = (first..<first + faultsPerSeed).map { card in
            var generator = SeededGenerator(seed: UInt64(card / kinds.count))
            return kinds.shuffled(using: &generator)[card % kinds.count]
        }
        faults = dealt.filter { !$0.comesLast } + dealt.filter { $0.comesLast }
    }
}
