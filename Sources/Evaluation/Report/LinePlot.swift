/// Lines over two axes, drawn as a picture that scales (SVG).
package struct LinePlot: Sendable, Equatable {
    /// One line.
    package struct Series: Sendable, Equatable {
        package var name: String
        package var points: [Point]

        package init(name: String, points: [Point]) {
            self.name = name
            self.points = points
        }
    }

    /// One point, in the units of the axes.
    package struct Point: Sendable, Equatable {
        package var x: Double
        package var y: Double

        package init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// One axis; without bounds it spans its points.
    package struct Axis: Sendable, Equatable {
        package var label: String
        package var bounds: ClosedRange<Double>?
        /// Powers of ten are evenly spaced.
        package var isLogarithmic: Bool

        package init(_ label: String, bounds: ClosedRange<Double>? = nil, isLogarithmic: Bool = false) {
            self.label = label
            self.bounds = bounds
            self.isLogarithmic = isLogarithmic
        }
    }

    package var title: String
    package var x: Axis
    package var y: Axis
    package var series: [Series]

    package init(title: String, x: Axis, y: Axis, series: [Series]) {
        self.title = title
        self.x = x
        self.y = y
        self.series = series
    }
}
