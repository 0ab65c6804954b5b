extension LinePlot {
    /// The picture as SVG text.
    package func svg() -> String { "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>" }
}
