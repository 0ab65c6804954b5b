extension Watermark {
    /// Reads `3-184467 t3-512`, the last event of each origin, `-` before the first; `nil` when it is something else.
    package init?(text: some StringProtocol) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2 else { return nil }
        self.init()
        for (word, origin) in zip(words, [EventID.Origin.raw, .trips]) where word != "-" {
            guard let event = EventID(word), event.origin == origin, advance(to: event) else { return nil }
        }
    }

    package var text: String { "\(raw?.description ?? "-") \(trips?.description ?? "-")" }
}
