/// A partition's next offset and watermark in Redis, under `progress:{topic}:{partition}`: `184468 3-184467 t3-512`.
package struct StoredWatermark: Equatable, Sendable {
    package var next: Int64
    package var watermark: Watermark

    /// The progress of a partition that was never written.
    package static let start = StoredWatermark(next: 0, watermark: Watermark())

    package init(next: Int64, watermark: Watermark) {
        self.next = next
        self.watermark = watermark
    }

    /// Parses the stored text; `nil` if it is malformed.
    package init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, let next = Int64(words[0]), next >= 0, let watermark = Watermark(text: words[1])
        else {
            return nil
        }
        self.init(next: next, watermark: watermark)
    }

    package var text: String { "\(next) \(watermark.text)" }
}
