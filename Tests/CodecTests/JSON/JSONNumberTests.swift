import Foundation
import TestSupport
import Testing

@testable import Codec

@Suite("Writing numbers")
struct JSONNumberTests {
    @Test(
        "numbers are rounded half away from zero, without trailing zeros or a negative zero",
        arguments: [
            (0.0, "0"), (-0.0, "0"), (1, "1"), (-1, "-1"), (12.5, "12.5"), (12.50, "12.5"), (0.005, "0.01"),
            (0.004, "0"), (-0.004, "0"), (-0.006, "-0.01"), (1.994, "1.99"), (1.996, "2"), (99.999, "100"),
            (0.01, "0.01"),
            (0.1, "0.1"), (123456789.12, "123456789.12"), (-123456789.12, "-123456789.12"), (4213, "4213"),
            (1e10, "10000000000"), (0.125, "0.13"), (0.375, "0.38"), (-0.125, "-0.13"), (2.5, "2.5"), (1e-300, "0"),
        ])
    func hundredths(value: Double, text: String) {
        #expect(json { $0.hundredths(value) } == text)
    }

    @Test("ties are decided by the exact value of the number")
    func exactTies() {
        // As doubles, 0.15, 0.35 and 1.005 are slightly below their decimal values, and 0.25 is exact.
        #expect(json { $0.tenths(0.15) } == "0.1")
        #expect(json { $0.tenths(0.25) } == "0.3")
        #expect(json { $0.tenths(0.35) } == "0.3")
        #expect(json { $0.hundredths(1.005) } == "1")
        #expect(json { $0.tenths(-0.15) } == "-0.1")
        #expect(json { $0.tenths(-0.25) } == "-0.3")
    }

    @Test("NaN and infinity are written as null, huge numbers are clamped")
    func extremes() {
        #expect(json { $0.hundredths(.nan) } == "null")
        #expect(json { $0.degrees(.infinity) } == "null")
        #expect(json { $0.degrees(-.infinity) } == "null")
        #expect(json { $0.hundredths(1e300) } == "90000000000000")
        #expect(json { $0.hundredths(-1e300) } == "-90000000000000")
    }

    @Test("degrees have seven decimals")
    func degrees() {
        #expect(json { $0.degrees(37.7751) } == "37.7751")
        #expect(json { $0.degrees(-122.41830006) } == "-122.4183001")
        #expect(json { $0.degrees(-0.0000001) } == "-0.0000001")
        #expect(json { $0.degrees(-0.00000004) } == "0")
        #expect(json { $0.degrees(180) } == "180")
        #expect(json { $0.degrees(89.99999996) } == "90")
    }

    @Test("headings never reach 360")
    func headings() {
        #expect(json { $0.heading(359.99) } == "359.99")
        #expect(json { $0.heading(359.994) } == "359.99")
        #expect(json { $0.heading(359.996) } == "0")
        #expect(json { $0.heading(0) } == "0")
    }

    @Test("numbers with seven decimals are read back exactly", arguments: [UInt64(5)])
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let value = generator.decimal(in: -180...180, digits: 7)
            #expect(Double(json { $0.degrees(value) }) == value, "seed \(seed)")
        }
    }

    @Test("any number is rounded like its exact decimal expansion", arguments: [UInt64(7)])
    func exactRounding(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5000 {
            // Halves of the last digit, where rounding is hardest, and any number.
            let value =
                Bool.random(using: &generator)
                ? Double(Int.random(in: -100_000...100_000, using: &generator)) / 200
                : Double.random(in: -1e6...1e6, using: &generator)
            let exact = String(format: "%.60f", abs(value))
            let point = try #require(exact.firstIndex(of: "."))
            let whole = Int(exact[..<point]) ?? 0
            let decimals = exact[exact.index(after: point)...]
            var cents = whole * 100 + (Int(decimals.prefix(2)) ?? 0)
            if let third = decimals.dropFirst(2).first, third >= "5" { cents += 1 }
            let expected = Double(value < 0 ? -cents : cents) / 100
            #expect(Double(json { $0.hundredths(value) }) == expected, "seed \(seed): \(exact)")
        }
    }

    @Test(
        "whole numbers of every length are written",
        arguments: [Int64.min, -1, 0, 9, 10, 99, 100, 9999, 10000, 99999, .max])
    func integers(value: Int64) {
        #expect(json { $0.integer(value) } == String(value))
    }

    @Test("powers of ten and their neighbours are written")
    func powersOfTen() {
        var power: Int64 = 1
        for _ in 0..<18 {
            for value in [power - 1, power, power + 1] { #expect(json { $0.integer(value) } == String(value)) }
            power *= 10
        }
    }
}
