import Testing

@Suite("Decimal text")
struct DecimalTextTests {
    private func text(_ value: Double, decimals: Int) -> String {
        written { $0.append(decimal: value, places: decimals) }
    }

    private func text(_ number: Int64) -> String { written { $0.append(decimal: number) } }

    @Test(
        "a decimal is rounded and has no trailing zeros",
        arguments: [
            (0.0, 6, "0"), (-0.0, 6, "0"), (37.775_096, 6, "37.775096"), (-122.418_301, 6, "-122.418301"),
            (12.30, 2, "12.3"), (12.345, 1, "12.3"), (12.35, 1, "12.4"), (-0.05, 2, "-0.05"), (0.000_000_4, 6, "0"),
            (-0.000_000_4, 6, "0"), (0.000_001, 6, "0.000001"), (359.999_999_9, 6, "360"), (100, 0, "100"),
            (1e30, 6, "9200000000000"), (-1e30, 6, "-9200000000000"), (.nan, 6, "0"),
            (.infinity, 0, "9200000000000000000"),
        ])
    func decimals(value: Double, places: Int, expected: String) {
        #expect(text(value, decimals: places) == expected)
    }

    @Test(
        "an integer is written as by Swift",
        arguments: [0, 9, 10, 99, 100, -1, -100, 9999, 10_000, 1_741_977_135_123, Int64.max, Int64.min])
    func wholeNumbers(number: Int64) {
        #expect(text(number) == String(number))
    }

    @Test("a random coordinate is read back within half a unit of the last digit")
    func roundTrip() throws {
        let seed = UInt64.random(in: .min ... .max)
        var state = seed
        for _ in 0..<10_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let value = Double(state >> 11) / Double(1 << 53) * 360 - 180
            let back = try #require(Double(text(value, decimals: 6)), "seed \(seed)")
            #expect(abs(back - value) <= 0.500_001e-6, "seed \(seed)")
        }
    }
}
