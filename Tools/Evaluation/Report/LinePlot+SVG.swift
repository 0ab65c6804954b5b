extension LinePlot {
    /// The picture as SVG text: with a background of its own, so that it can be read on light and dark pages, and the
    /// same text for the same plot.
    package func svg() -> String {
        var drawing = PlotDrawing(self)
        return drawing.draw()
    }
}
