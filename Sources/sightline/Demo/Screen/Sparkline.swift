/// A series of numbers as a line of small bars, the newest at its end.
enum Sparkline {
    private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Draws the last `width` values, the highest of them as a full bar; a value that is not known is a blank.
    static func text(_ values: [Int?], width: Int) -> String {
        let shown = values.suffix(max(0, width))
        let highest = shown.compactMap { $0 }.max() ?? 0
        return String(
            shown.map { value -> Character in
                guard let value else { return " " }
                guard highest > 0 else { return bars[0] }
                return bars[min(bars.count - 1, max(0, value) * bars.count / (highest + 1))]
            })
    }
}
