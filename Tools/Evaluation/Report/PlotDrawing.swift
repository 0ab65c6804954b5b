/// Draws a plot: title, frame with grid and labels, lines, and the legend under all of them, where it hides nothing.
struct PlotDrawing {
    private let plot: LinePlot
    private let x: PlotScale
    private let y: PlotScale
    private let titleLines: [String]
    private let legend: PlotLegend
    /// The frame of the lines, in units of the picture.
    private let left: Double
    private let top: Double
    private let width: Double
    private let height = 300.0
    private var elements: [String] = []

    static let pictureWidth = 720.0
    static let margin = 16.0
    static let fontSize = 12.0
    private static let titleSize = 15.0
    private static let titleSpacing = 20.0

    /// Between the frame's lower edge and the legend: the labels of the ticks and of the axis.
    private static let footHeight = 52.0

    init(_ plot: LinePlot) {
        self.plot = plot
        x = PlotScale(plot.x, values: plot.series.flatMap { $0.points.map(\.x) })
        y = PlotScale(plot.y, values: plot.series.flatMap { $0.points.map(\.y) })
        let room = Self.pictureWidth - 2 * Self.margin
        titleLines = PlotText.wrapped(plot.title, width: room, size: Self.titleSize)
        legend = PlotLegend(plot.series, width: room)
        let labels = y.ticks.map { [y] in PlotText.width(y.label(of: $0), size: Self.fontSize) }
        left = Self.margin + 26 + (labels.max() ?? 0)
        top = 22 + Self.titleSpacing * Double(titleLines.count)
        // The last label stands in the middle under the frame's corner.
        let overhang = (x.ticks.last.map { [x] in PlotText.width(x.label(of: $0), size: Self.fontSize) } ?? 0) / 2
        width = Self.pictureWidth - max(Self.margin + 10, overhang + 4) - left
    }

    /// The whole picture.
    mutating func draw() -> String {
        elements = []
        let bottom = top + height
        let total = bottom + Self.footHeight + legend.height
        drawTitle()
        drawGrid()
        drawLabels()
        for series in plot.series where series.style == .reference { draw(series, in: .reference) }
        for (index, series) in inked { draw(series, in: .ofSeries(index)) }
        if !plot.series.contains(where: { !visible($0).isEmpty }) {
            text("no data", at: (left + width / 2, top + height / 2), anchor: "middle", color: PlotInk.faintText)
        }
        elements += legend.elements(left: Self.margin, top: bottom + Self.footHeight)
        let size = "\(PlotNumber.place(Self.pictureWidth)) \(PlotNumber.place(total))"
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" role="img" \
            font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif" \
            font-size="\(PlotNumber.place(Self.fontSize))">
            <title>\(PlotText.escaped(plot.title))</title>
            <rect width="\(PlotNumber.place(Self.pictureWidth))" height="\(PlotNumber.place(total))" \
            fill="\(PlotInk.paper)"/>
            """
        return ([head] + elements + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// Series with ink of their own, with its number.
    private var inked: [(Int, LinePlot.Series)] {
        plot.series.filter { $0.style != .reference }.enumerated().map { ($0, $1) }
    }

    private mutating func drawTitle() {
        for (row, line) in titleLines.enumerated() {
            let baseline = 6 + Self.titleSpacing * Double(row + 1)
            elements.append(
                PlotText.element(
                    line, at: (Self.margin, baseline), size: Self.titleSize, isBold: true, color: PlotInk.text))
        }
    }

    private mutating func drawGrid() {
        path(x.minorTicks.map(vertical) + y.minorTicks.map(horizontal), color: PlotInk.fineGrid)
        path(x.ticks.map(vertical) + y.ticks.map(horizontal), color: PlotInk.grid)
        let frame = "M\(place(0, 0))H\(PlotNumber.place(left + width))V\(PlotNumber.place(top + height))"
        path([frame + "H\(PlotNumber.place(left))Z"], color: PlotInk.frame)
    }

    private mutating func drawLabels() {
        for tick in x.ticks {
            let place = left + (x.position(of: tick) ?? 0) * width
            text(x.label(of: tick), at: (place, top + height + 17), anchor: "middle")
        }
        for tick in y.ticks {
            let place = top + (1 - (y.position(of: tick) ?? 0)) * height
            text(y.label(of: tick), at: (left - 7, place + 4), anchor: "end")
        }
        text(plot.x.label, at: (left + width / 2, top + height + 37), anchor: "middle", color: PlotInk.text)
        let center = (Self.margin + 6, top + height / 2)
        elements.append(
            PlotText.element(
                plot.y.label, at: center, anchor: "middle", color: PlotInk.text,
                transform: "rotate(-90 \(PlotNumber.place(center.0)) \(PlotNumber.place(center.1)))"))
    }

    private mutating func draw(_ series: LinePlot.Series, in ink: PlotInk) {
        if series.style != .markers {
            let pieces = PlotLine(series.points.map(located), width: width, height: height).pieces.map { piece in
                "M" + piece.map { place($0.x, $0.y) }.joined(separator: "L")
            }
            path(pieces, color: ink.color, width: series.style == .reference ? "1.3" : "2", dashes: ink.dashes)
        }
        let marks = series.hasMarks ? visible(series) : []
        guard !marks.isEmpty else { return }
        elements.append("<g fill=\"\(ink.color)\" stroke=\"\(PlotInk.paper)\" stroke-width=\"0.7\">")
        elements += marks.map { "<path transform=\"translate(\(place($0.x, $0.y)))\" d=\"\(ink.mark)\"/>" }
        elements.append("</g>")
    }

    /// The points of a series that are inside of the frame.
    private func visible(_ series: LinePlot.Series) -> [LinePlot.Point] {
        series.points.compactMap(located).filter { (-0.01...width + 0.01) ~= $0.x && (-0.01...height + 0.01) ~= $0.y }
    }

    /// A point in the picture's units, from the frame's upper left corner.
    private func located(_ point: LinePlot.Point) -> LinePlot.Point? {
        guard let x = x.position(of: point.x), let y = y.position(of: point.y) else { return nil }
        return LinePlot.Point(x: x * width, y: (1 - y) * height)
    }

    private func vertical(_ tick: Double) -> String {
        "M\(place((x.position(of: tick) ?? 0) * width, 0))V\(PlotNumber.place(top + height))"
    }

    private func horizontal(_ tick: Double) -> String {
        "M\(place(0, (1 - (y.position(of: tick) ?? 0)) * height))H\(PlotNumber.place(left + width))"
    }

    private func place(_ x: Double, _ y: Double) -> String {
        "\(PlotNumber.place(left + x)) \(PlotNumber.place(top + y))"
    }

    private mutating func text(
        _ text: String, at place: (Double, Double), anchor: String, color: String = PlotInk.faintText
    ) {
        elements.append(PlotText.element(text, at: place, anchor: anchor, color: color))
    }

    private mutating func path(_ data: [String], color: String, width: String = "1", dashes: String = "") {
        guard !data.isEmpty else { return }
        let dashed = dashes.isEmpty ? "" : " stroke-dasharray=\"\(dashes)\""
        elements.append(
            "<path fill=\"none\" stroke=\"\(color)\" stroke-width=\"\(width)\" stroke-linejoin=\"round\"\(dashed) "
                + "d=\"\(data.joined())\"/>")
    }
}
