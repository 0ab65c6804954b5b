/// Suggestions of the correct spelling of a mistyped name.
enum Suggestion {
    /// Returns the candidate with the smallest edit distance to `word`; `nil` if `word` is too different from all.
    static func closest(to word: String, among candidates: some Sequence<String>) -> String? {
        let limit = max(2, word.count / 5)
        return candidates.map { (candidate: $0, distance: distance(word, $0)) }
            .filter { $0.distance <= limit }
            .min { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }?
            .candidate
    }

    /// Returns the fewest insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let substitution = last[column] + (left[row] == right[column] ? 0 : 1)
                var best = min(substitution, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
