/// Lines and points over two axes, drawn as a picture that scales (SVG).
package struct LinePlot: Sendable, Equatable {
    /// What belongs together: a line, or points of one kind.
    package struct Series: Sendable, Equatable {
        /// Stands in the legend.
        package var name: String
        package var points: [Point]
        package var style = Style.line
    }

    /// How a series is drawn.
    package enum Style: Sendable, Equatable {
        /// Joined in the order given; a few points are marked as well.
        case line
        /// A mark at every point.
        case markers
        /// Joined by a thin grey line, behind all others: a target or an ideal.
        case reference
    }

    /// One point, in the units of the axes.
    ///
    /// One that an axis cannot show (not a number, or not above 0 on a logarithmic axis) interrupts its line.
    package struct Point: Sendable, Equatable {
        package var x: Double
        package var y: Double
    }

    /// One axis; without bounds it spans its points, out to round numbers.
    package struct Axis: Sendable, Equatable {
        package var label: String
        /// What is outside is cut off.
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
}
