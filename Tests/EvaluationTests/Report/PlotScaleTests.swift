import Testing

@testable import Evaluation

@Suite("The axes of plots")
struct PlotScaleTests {
    private func labels(_ axis: LinePlot.Axis, _ values: [Double]) -> [String] {
        let scale = PlotScale(axis, values: values)
        return scale.ticks.map(scale.label)
    }

    @Test(
        "ticks are round numbers around the values",
        arguments: [
            ([0, 10], ["0", "2", "4", "6", "8", "10"]),
            ([0, 1], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            ([-0.03, 0.07], ["−0.04", "−0.02", "0.00", "0.02", "0.04", "0.06", "0.08"]),
            ([3, 12_345], ["0", "5,000", "10,000", "15,000"]),
            ([12, 88], ["0", "20", "40", "60", "80", "100"]),
            ([0, 3e8], ["0", "5×10⁷", "10⁸", "1.5×10⁸", "2×10⁸", "2.5×10⁸", "3×10⁸"]),
        ])
    func linear(values: [Double], expected: [String]) {
        #expect(labels(LinePlot.Axis("x"), values) == expected)
    }

    @Test("without bounds all values are between the ends")
    func containsValues() {
        for exponent in -6...6 {
            for (low, high) in [(1.0, 1.1), (-3.7, 2.2), (0.99, 9.01), (5, 5)] {
                let factor = (0..<abs(exponent)).reduce(1.0) { product, _ in product * (exponent < 0 ? 0.1 : 10) }
                let values = [low * factor, high * factor]
                for isLogarithmic in [false, low > 0] {
                    let scale = PlotScale(LinePlot.Axis("x", isLogarithmic: isLogarithmic), values: values)
                    for value in values {
                        #expect((-1e-6...1 + 1e-6).contains(scale.position(of: value) ?? -1), "\(value)")
                    }
                    #expect((2...13).contains(scale.ticks.count), "\(values): \(scale.ticks)")
                }
            }
        }
    }

    @Test("bounds are kept as they are")
    func bounds() {
        let scale = PlotScale(LinePlot.Axis("x", bounds: 0.5...9.5), values: [-100, 100])
        #expect(scale.range == 0.5...9.5)
        #expect(scale.ticks == [2, 4, 6, 8])
        #expect(scale.position(of: 5) == 0.5)
    }

    @Test(
        "powers of ten are evenly spaced, with fewer labels where they are many",
        arguments: [
            ([0.0001, 1], ["0.0001", "0.001", "0.01", "0.1", "1"]),
            ([1e-6, 100], ["10⁻⁶", "10⁻⁵", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100"]),
            ([1e-20, 1], ["10⁻²⁰", "10⁻¹⁷", "10⁻¹⁴", "10⁻¹¹", "10⁻⁸", "10⁻⁵", "0.01"]),
            ([1.2, 40], ["1", "2", "5", "10", "20", "50"]),
            ([2, 3], ["2.0", "2.2", "2.4", "2.6", "2.8", "3.0"]),
        ])
    func logarithmic(values: [Double], expected: [String]) {
        #expect(labels(LinePlot.Axis("x", isLogarithmic: true), values) == expected)
        let scale = PlotScale(LinePlot.Axis("x", bounds: 0.01...1, isLogarithmic: true), values: [])
        #expect(abs((scale.position(of: 0.1) ?? 0) - 0.5) < 1e-12)
    }

    @Test("what an axis cannot show has no place, and does not decide its ends")
    func impossibleValues() {
        let linear = PlotScale(LinePlot.Axis("x"), values: [.nan, 0, 10, .infinity])
        #expect(linear.range == 0...10)
        #expect(linear.position(of: .nan) == nil)
        #expect(linear.position(of: -.infinity) == nil)
        let logarithmic = PlotScale(LinePlot.Axis("x", bounds: 0...1, isLogarithmic: true), values: [-1, 0, 1, 100])
        #expect(logarithmic.range == 1...100)
        #expect(logarithmic.position(of: 0) == nil)
    }
}
