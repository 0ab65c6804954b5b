/// What was made of attacks on some hosts.
struct AttackScores: Sendable {
    private(set) var results: [AttackResult] = []
    /// From ``MatchedWindows/onsetSeconds`` after the onset of each attack.
    private(set) var windows: [AttackKind: FieldWindows] = [:]

    mutating func add(_ result: AttackResult, _ windows: FieldWindows) {
        results.append(result)
        self.windows[result.kind, default: FieldWindows()].add(windows)
    }

    /// The windows of all kinds that have a target.
    var pooled: FieldWindows {
        var pooled = FieldWindows()
        for kind in AttackKind.allCases where kind.target != nil {
            if let windows = windows[kind] { pooled.add(windows) }
        }
        return pooled
    }
}
