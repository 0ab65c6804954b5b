import Foundation

/// Where the values of an axis stand, and which of them are named at it.
struct PlotScale: Equatable {
    /// The values at the ends, in the axis' units.
    let range: ClosedRange<Double>
    let isLogarithmic: Bool
    /// Values with a label.
    let ticks: [Double]
    /// Values with a fine line only.
    let minorTicks: [Double]
    /// Digits behind the point that tell the ticks apart.
    private let fractionDigits: Int

    /// How many labels an axis has room for.
    private static let wantedTicks = 6.0
    /// Above this many powers of ten there is no room for lines between them.
    private static let mostDecadesWithMinorTicks = 6

    init(_ axis: LinePlot.Axis, values: [Double]) {
        isLogarithmic = axis.isLogarithmic
        let isShown: (Double) -> Bool = { $0.isFinite && (!axis.isLogarithmic || $0 > 0) }
        let bounds = axis.bounds.flatMap { isShown($0.lowerBound) && isShown($0.upperBound) ? $0 : nil }
        let shown = values.filter(isShown)
        let span = Self.widened(
            bounds ?? (shown.min() ?? (axis.isLogarithmic ? 0.1 : 0))...(shown.max() ?? 1),
            isLogarithmic: axis.isLogarithmic)
        // Less than a factor of three: powers of ten would leave one label or none.
        if axis.isLogarithmic, span.upperBound / span.lowerBound >= 3 {
            (range, ticks, minorTicks) = Self.logarithmic(span, isFixed: bounds != nil)
            fractionDigits = 0
        } else {
            let isFixed = bounds != nil || axis.isLogarithmic
            (range, ticks, fractionDigits) = Self.linear(span, isFixed: isFixed)
            minorTicks = []
        }
    }

    /// Where a value stands between the ends, 0 to 1 (beyond them outside of that); `nil` for one that has no place.
    func position(of value: Double) -> Double? {
        guard value.isFinite else { return nil }
        guard isLogarithmic else { return (value - range.lowerBound) / (range.upperBound - range.lowerBound) }
        guard value > 0 else { return nil }
        return log(value / range.lowerBound) / log(range.upperBound / range.lowerBound)
    }

    /// How a tick is written.
    func label(of tick: Double) -> String {
        isLogarithmic && fractionDigits == 0 && tick < 1
            ? PlotNumber.short(tick) : PlotNumber.grouped(tick, fractionDigits: fractionDigits)
    }

    /// A range that is not empty.
    private static func widened(_ range: ClosedRange<Double>, isLogarithmic: Bool) -> ClosedRange<Double> {
        let (low, high) = (range.lowerBound, range.upperBound)
        guard high - low <= abs(high) * 1e-9 else { return range }
        if isLogarithmic { return low / 2...high * 2 }
        return low == 0 ? 0...1 : low - abs(low) / 2...high + abs(high) / 2
    }

    /// Ticks at multiples of 1, 2 or 5 times a power of ten; the range ends at ticks unless it is fixed.
    private static func linear(
        _ span: ClosedRange<Double>, isFixed: Bool
    ) -> (range: ClosedRange<Double>, ticks: [Double], fractionDigits: Int) {
        let rough = (span.upperBound - span.lowerBound) / wantedTicks
        let exponent = Int(log10(rough).rounded(.down))
        let power = pow(10, Double(exponent))
        let factor = [1.0, 2, 5, 10].first { $0 * power >= rough * (1 - 1e-9) } ?? 10
        let step = factor * power
        let slack = 1e-9
        let first = (span.lowerBound / step + (isFixed ? -slack : slack)).rounded(isFixed ? .up : .down)
        let last = (span.upperBound / step + (isFixed ? slack : -slack)).rounded(isFixed ? .down : .up)
        let ticks = stride(from: first, through: max(first, last), by: 1).map { $0 * step }
        let range = isFixed ? span : first * step...last * step
        return (range, ticks, max(0, factor == 10 ? -exponent - 1 : -exponent))
    }

    /// Ticks at powers of ten, and at twice and five times those where there are few.
    private static func logarithmic(
        _ span: ClosedRange<Double>, isFixed: Bool
    ) -> (range: ClosedRange<Double>, ticks: [Double], minorTicks: [Double]) {
        let lowest = Int((log10(span.lowerBound) + 1e-9).rounded(.down))
        let highest = Int((log10(span.upperBound) - 1e-9).rounded(.up))
        let multiples = { (factors: [Double]) in
            (lowest...highest).flatMap { exponent in factors.map { $0 * pow(10, Double(exponent)) } }
        }
        let edges = multiples([1, 2, 5])
        let low = isFixed ? span.lowerBound : edges.last { $0 <= span.lowerBound * (1 + 1e-9) } ?? span.lowerBound
        let high = isFixed ? span.upperBound : edges.first { $0 >= span.upperBound * (1 - 1e-9) } ?? span.upperBound
        let isInside: (Double) -> Bool = { $0 >= low * (1 - 1e-9) && $0 <= high * (1 + 1e-9) }
        let decades = highest - lowest
        let every = Int((Double(decades) / (wantedTicks + 2)).rounded(.up))
        let powers = stride(from: lowest, through: highest, by: max(1, every)).map { pow(10, Double($0)) }
        let ticks = (decades <= 2 ? edges : powers).filter(isInside)
        let minor = decades <= mostDecadesWithMinorTicks ? multiples([2, 3, 4, 5, 6, 7, 8, 9]).filter(isInside) : []
        return (low...high, ticks, minor.filter { !ticks.contains($0) })
    }
}
