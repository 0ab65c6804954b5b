/// The names of a plot's series, each beside a piece of its line, in rows.
struct PlotLegend {
    private struct Entry {
        var name: String
        var ink: PlotInk
        var hasLine: Bool
        var hasMarks: Bool
        /// From the left edge of the legend, in units of the picture.
        var x: Double
        var row: Int
    }

    private var entries: [Entry] = []

    private static let rowHeight = 20.0
    private static let sample = 34.0
    private static let gap = 24.0

    /// Places the names in rows of at most `width` units of the picture.
    init(_ series: [LinePlot.Series], width: Double) {
        var (x, row, inked) = (0.0, 0, 0)
        for one in series {
            let name = one.points.isEmpty ? "\(one.name) (no data)" : one.name
            let needed = Self.sample + 8 + PlotText.width(name, size: PlotDrawing.fontSize)
            if x > 0, x + needed > width { (x, row) = (0, row + 1) }
            let ink = one.style == .reference ? PlotInk.reference : .ofSeries(inked)
            if one.style != .reference { inked += 1 }
            entries.append(
                Entry(name: name, ink: ink, hasLine: one.style != .markers, hasMarks: one.hasMarks, x: x, row: row))
            x += needed + Self.gap
        }
    }

    var height: Double { (entries.last.map { Double($0.row + 1) } ?? 0) * Self.rowHeight + 8 }

    func elements(left: Double, top: Double) -> [String] {
        entries.flatMap { entry in
            let (x, y) = (left + entry.x, top + (Double(entry.row) + 0.5) * Self.rowHeight)
            let name = PlotText.element(entry.name, at: (x + Self.sample + 8, y + 4), color: PlotInk.text)
            return [sample(of: entry, x: x, y: y), name]
        }
    }

    private func sample(of entry: Entry, x: Double, y: Double) -> String {
        var sample = ""
        if entry.hasLine {
            let dashed = entry.ink.dashes.isEmpty ? "" : " stroke-dasharray=\"\(entry.ink.dashes)\""
            sample = "<path fill=\"none\" stroke=\"\(entry.ink.color)\" stroke-width=\"2\"\(dashed) "
            sample += "d=\"M\(PlotNumber.place(x)) \(PlotNumber.place(y))h\(PlotNumber.place(Self.sample))\"/>"
        }
        if entry.hasMarks {
            let center = "\(PlotNumber.place(x + Self.sample / 2)) \(PlotNumber.place(y))"
            sample += "<path fill=\"\(entry.ink.color)\" transform=\"translate(\(center))\" d=\"\(entry.ink.mark)\"/>"
        }
        return sample
    }
}

extension LinePlot.Series {
    /// Whether every point is marked: where a line has few, they are what was measured.
    var hasMarks: Bool { style == .markers || (style == .line && !points.isEmpty && points.count <= 24) }
}
