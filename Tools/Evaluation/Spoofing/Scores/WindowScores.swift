/// The highest risk and the baseline's answer in windows of 10 s.
struct WindowScores: Sendable {
    struct Window: Sendable {
        var risk: Float
        var isBaselineHit: Bool
    }

    static let seconds = 10.0

    private(set) var windows: [Window] = []

    /// Adds the windows of fixes `range` of one driver, counted from `onset` seconds after the first of them.
    mutating func add(_ outcomes: [FixOutcome], _ hits: [Bool], in range: Range<Int>, onset: Double = 0) {
        guard let first = range.first else { return }
        let start = outcomes[first].at.advanced(bySeconds: onset)
        var current: Int?
        for index in range where outcomes[index].at >= start {
            let number = Int((outcomes[index].at.seconds(since: start) / Self.seconds).rounded(.down))
            if number != current {
                windows.append(Window(risk: 0, isBaselineHit: false))
                current = number
            }
            let last = windows.count - 1
            windows[last].risk = max(windows[last].risk, outcomes[index].risk)
            if hits[index] { windows[last].isBaselineHit = true }
        }
    }

    mutating func add(_ other: WindowScores) { windows += other.windows }
}
