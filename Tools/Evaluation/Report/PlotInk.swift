/// How the series of a plot are told apart: by colour, by dashes and by the shape of their marks.
struct PlotInk {
    let color: String
    /// Lengths of dashes and gaps; empty for a line without gaps.
    let dashes: String
    /// The shape of a mark around (0, 0), as path data.
    let mark: String

    static let text = "#222222"
    static let faintText = "#555555"
    static let frame = "#888888"
    static let grid = "#dddddd"
    static let fineGrid = "#f0f0f0"
    static let paper = "#ffffff"
    static let reference = PlotInk(color: "#777777", dashes: "2 3", mark: "M-3 0H3")

    /// The colours of Okabe and Ito, which people with any colour vision can tell apart.
    ///
    /// "Color Universal Design", 2008; without the yellow, which is too faint on white. Neighbours differ in
    /// brightness.
    private static let colors = ["#0072b2", "#e69f00", "#000000", "#cc79a7", "#009e73", "#56b4e9", "#d55e00"]
    private static let dashes = ["", "8 3", "3 2.5", "10 3 2 3", "14 4", "6 2 2 2 2 2", "1.5 4", "4 2 12 2"]
    private static let marks = [
        "M-3.5 0A3.5 3.5 0 1 0 3.5 0A3.5 3.5 0 1 0 -3.5 0Z",
        "M-3.2 -3.2H3.2V3.2H-3.2Z",
        "M0 -4.2L4 3H-4Z",
        "M0 -4.4L4.4 0L0 4.4L-4.4 0Z",
        "M-4 -3H4L0 4.2Z",
    ]

    /// The ink of the series at `index`; colours, dashes and marks repeat at different lengths, so that it is long
    /// until two series look the same.
    static func ofSeries(_ index: Int) -> PlotInk {
        PlotInk(
            color: colors[index % colors.count], dashes: dashes[index % dashes.count],
            mark: marks[index % marks.count])
    }
}
