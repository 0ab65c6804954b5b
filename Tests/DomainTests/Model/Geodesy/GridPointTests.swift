import TestSupport
import Testing

@testable import Domain

@Suite struct GridPointTests {
    private static let roundings: [(name: String, round: @Sendable (Double) -> Double)] = [
        ("1e-6 degrees", { ($0 * 1e6).rounded() / 1e6 }),
        ("1e-5 degrees", { ($0 * 1e5).rounded() / 1e5 }),
        ("1e-4 minutes", { ($0 * 6e5).rounded() / 6e5 }),
        ("1e-3 minutes", { ($0 * 6e4).rounded() / 6e4 }),
        ("0.01 seconds", { ($0 * 3.6e5).rounded() / 3.6e5 }),
        ("single precision", { Double(Float($0)) }),
    ]

    private static func place(_ random: inout SeededGenerator) -> Coordinate {
        Coordinate(
            latitude: Double.random(in: 20...70, using: &random),
            longitude: Double.random(in: -170...170, using: &random))
    }

    @Test("coordinates on the grids of devices are detected as rounded", arguments: 0..<6)
    func rounded(number: Int) {
        let seed: UInt64 = 51
        var random = SeededGenerator(seed: seed)
        let rounding = Self.roundings[number]
        for _ in 0..<2000 {
            let place = Self.place(&random)
            let point = GridPoint(
                Coordinate(latitude: rounding.round(place.latitude), longitude: rounding.round(place.longitude)))
            #expect(point.isRounded, "\(rounding.name), seed \(seed), \(place)")
        }
    }

    @Test("at most 3 % of unrounded coordinates are detected as rounded")
    func chance() {
        let seed: UInt64 = 52
        var random = SeededGenerator(seed: seed)
        let roundedCount = (0..<100_000).count { _ in GridPoint(Self.place(&random)).isRounded }
        #expect(roundedCount < 3000, "seed \(seed)")
    }

    @Test("a point is rounded if both coordinates are on a grid of degrees, or within 1e-7° of a grid of minutes")
    func boundaries() {
        func isRounded(_ latitude: Int32, _ longitude: Int32) -> Bool {
            var point = GridPoint()
            (point.latitude, point.longitude) = (latitude, longitude)
            return point.isRounded
        }
        #expect(isRounded(501_234_570, 1_112_345_670))
        #expect(!isRounded(501_234_570, 1_112_345_671))
        #expect(!isRounded(501_234_569, 1_112_345_670))
        // 50° 7.4074′ is 501 234 566.7 ten-millionths, 111° 14.0740′ is 1 112 345 666.7.
        #expect(isRounded(501_234_567, 1_112_345_667))
        #expect(isRounded(501_234_566, 1_112_345_666))
        #expect(!isRounded(501_234_565, 1_112_345_667))
        #expect(!isRounded(501_234_568, 1_112_345_667))
    }
}
