import Testing

@testable import Domain
@testable import Support

@Suite("Fixes sent again with different last digits")
struct RetryTests {
    private static let places = [
        Coordinate(latitude: 37.775_123_456, longitude: -122.418_345_678),
        Coordinate(latitude: -33.868_765_432, longitude: 151.209_123_456),
        Coordinate(latitude: -16.7, longitude: 179.999_987_6), Coordinate(latitude: 64.999_999_9, longitude: -21.9),
        Coordinate(latitude: 0.000_04, longitude: -0.000_02),
    ]

    private enum Digits: CaseIterable {
        case rounded, truncated
    }

    private func changed(_ degrees: Double, _ decimals: Int, _ digits: Digits) -> Double {
        let scale = [1e3, 1e4, 1e5, 1e6, 1e7][decimals - 3]
        let scaled = degrees * scale
        return (digits == .rounded ? scaled.rounded() : scaled.rounded(.towardZero)) / scale
    }

    private func driver(at place: Coordinate) -> TestDriver {
        let driver = TestDriver()
        driver.plane = TangentPlane(origin: place)
        driver.template.sessionHash = 77
        return driver
    }

    @Test(
        "a fix with rounded or truncated coordinates, and with or without milliseconds, is a duplicate",
        arguments: [3, 4, 5, 6, 7], [0, 300, 500, 999])
    func lastDigits(decimals: Int, milliseconds: Int64) {
        for place in Self.places {
            for digits in Digits.allCases {
                for back in [0, 1, 3, 7] {
                    let driver = driver(at: place)
                    let fixes = (0..<20).map { index in
                        var fix = driver.fix(Double(index) * 14, at: Double(index), sequence: Int64(index) + 1)
                        fix.deviceAt?.milliseconds += milliseconds
                        return fix
                    }
                    for fix in fixes { _ = driver.evaluate(fix, receivedAt: 21) }
                    var retry = fixes[19 - back]
                    retry.coordinate.latitude = changed(retry.coordinate.latitude, decimals, digits)
                    retry.coordinate.longitude = changed(retry.coordinate.longitude, decimals, digits)
                    retry.contentHash ^= 1
                    for time in [
                        retry.deviceAt, Self.wholeSecond(retry, .down), Self.wholeSecond(retry, .toNearestOrEven),
                    ] {
                        retry.deviceAt = time
                        let result = driver.evaluate(retry, receivedAt: 22)
                        #expect(result.verdict == .duplicate, "\(place), \(digits), \(back) back")
                        #expect(result.risk < 0.3)
                    }
                }
            }
        }
    }

    private static func wholeSecond(_ fix: Fix, _ rule: FloatingPointRoundingRule) -> Timestamp? {
        fix.deviceAt.map { Timestamp(milliseconds: Int64((Double($0.milliseconds) / 1000).rounded(rule)) * 1000) }
    }

    @Test(
        "a repeated sequence number and time 250 m or more away is a replay, in any direction",
        arguments: [250.0, 500, 1000, 2000])
    func elsewhere(meters: Double) {
        for place in Self.places.dropLast(2) {
            for (east, north) in [(1.0, 0.0), (0, 1), (-1, 0), (0, -1)] {
                let driver = driver(at: place)
                for index in 0..<20 { driver.send(Double(index) * 10, at: Double(index), sequence: Int64(index) + 1) }
                let forged = driver.fix(190 + east * meters, north * meters, at: 19, sequence: 20)
                let result = driver.evaluate(forged, receivedAt: 20)
                #expect(result.verdict == .rejected && result.reasons.contains(.sequenceReplay), "\(place)")
            }
        }
    }

    @Test("a repeated sequence number and position more than a second apart is a replay", arguments: [2.0, 3, 40])
    func otherTime(seconds: Double) {
        let driver = driver(at: Self.places[0])
        for index in 0..<200 { driver.send(0, at: Double(index), sequence: Int64(index) + 1) }
        let forged = driver.fix(0, at: 199 - seconds, sequence: 200)
        #expect(driver.evaluate(forged, receivedAt: 200).reasons.contains(.sequenceReplay))
    }

    @Test("without device times, the position alone identifies a retry")
    func noDeviceTime() {
        let driver = driver(at: Self.places[0])
        func fix(_ east: Double, _ sequence: Int64) -> Fix {
            var fix = driver.fix(east, at: 0, sequence: sequence)
            fix.deviceAt = nil
            return fix
        }
        for index in 0..<10 {
            _ = driver.evaluate(fix(Double(index) * 10, Int64(index) + 1), receivedAt: Double(index))
        }
        #expect(driver.evaluate(fix(90.4, 10), receivedAt: 10).verdict == .duplicate)
        #expect(driver.evaluate(fix(590, 10), receivedAt: 10).reasons.contains(.sequenceReplay))
    }

    @Test("marks match across the date line, the equator and the prime meridian, and are always set")
    func marks() {
        func mark(_ latitude: Double, _ longitude: Double, _ milliseconds: Int64?) -> SequenceMark {
            var fix = Fix(coordinate: Coordinate(latitude: latitude, longitude: longitude))
            fix.deviceAt = milliseconds.map { Timestamp(milliseconds: $0) }
            return SequenceMark(of: fix)
        }
        #expect(mark(10, 180, 0).isRepeated(by: mark(10, -180, 0)))
        #expect(mark(0.0001, 0.0001, 61_999).isRepeated(by: mark(-0.0001, -0.0001, 62_000)))
        #expect(!mark(10, 20, 1_000).isRepeated(by: mark(10, 20, 3_000)))
        #expect(!mark(10, 20, nil).isRepeated(by: mark(10, 20, 0)))
        for milliseconds in [nil, Int64.min, -1, 0, 62_000, .max] as [Int64?] {
            for degrees in [-180, -90, 0, 90, 180, Double.nan, .infinity, -1e300, 1e300] {
                #expect(mark(degrees, degrees, milliseconds).isSeen)
            }
        }
    }
}
