import Codec

/// One record as `sightline tail` shows it: what stands in its topic's columns, and what filters go by.
struct TailEntry {
    /// In the order of ``TailColumns/columns``.
    var cells: [String] = []
    /// What follows the columns.
    var details = ""
    var driver: String?
    /// Several where the fixes of a batch name different ones.
    var trips: [String] = []
    /// Codes.
    var reasons: [String] = []
    /// The cell that tells well from bad, and how it is coloured.
    var highlight: (cell: Int, color: Terminal.Color)?
    /// Of a dead letter.
    var deadLetter: DeadLetterHeaders?

    init(cells: [String] = [], details: String = "") {
        self.cells = cells
        self.details = details
    }
}
