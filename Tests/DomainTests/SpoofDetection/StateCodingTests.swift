import TestSupport
import Testing

@testable import Domain
@testable import Support

@Suite struct StateCodingTests {
    private static func encoded(_ state: DriverState) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: DriverState.maximumEncodedByteCount) { buffer, count in
            count = state.encode(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    private static func decoded(_ bytes: [UInt8]) -> DriverState? {
        bytes.withUnsafeBytes { DriverState(decoding: $0) }
    }

    /// Returns a random stream with all kinds of events, from several sessions, clocks and devices.
    private static func stream(seed: UInt64, count: Int) -> [(fix: Fix, receivedAt: Timestamp)] {
        var random = SeededGenerator(seed: seed)
        let plane = TangentPlane(origin: Coordinate(latitude: 50, longitude: 179.99))
        var sequence: Int64 = 5
        var at = 0.0
        var place = (east: 0.0, north: 0.0)
        var session: UInt64 = 1
        return (0..<count).map { _ in
            func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
            at += chance(2) ? Double.random(in: 10...320, using: &random) : Double.random(in: 0.1...2, using: &random)
            if chance(3) { session &+= 1 }
            if chance(2) { sequence = 0 }
            if !chance(5) { sequence &+= chance(5) ? Int64.random(in: -12...40, using: &random) : 1 }
            let step = chance(2) ? 3000.0 : chance(30) ? 0 : 15
            place.east += step
            place.north += chance(20) ? step : 0
            var fix = Fix(coordinate: plane.coordinate(of: .init(east: place.east, north: place.north)))
            fix.sessionHash = chance(90) ? session : 0
            fix.sequence = chance(90) ? sequence : nil
            fix.contentHash = chance(80) ? random.next() : 1
            fix.deviceAt = chance(90) ? TestDriver.start.advanced(bySeconds: at + (chance(3) ? 400 : 0)) : nil
            fix.accuracyMeters = chance(80) ? Double.random(in: 3...60, using: &random) : nil
            fix.hasZeroAccuracy = fix.accuracyMeters == nil
            fix.altitudeMeters = chance(50) ? 12 : nil
            fix.speedMetersPerSecond = chance(80) ? step : nil
            fix.headingDegrees = chance(50) ? 90 : nil
            fix.isMock = chance(3)
            fix.isBatched = chance(10)
            fix.isOnTrip = chance(80)
            fix.integrity = chance(3) ? .failed : .passed
            return (fix, TestDriver.start.advanced(bySeconds: at + Double.random(in: 0...3, using: &random)))
        }
    }

    /// Returns all bits of a result, as text.
    private static func bits(_ result: VerdictResult) -> String {
        let estimate = result.estimate.map {
            "\($0.coordinate.latitude.bitPattern) \($0.coordinate.longitude.bitPattern) \($0.headingDegrees ?? -1)"
                + " \($0.speedMetersPerSecond.bitPattern) \($0.accuracyMeters.bitPattern) \($0.isHalted)"
        }
        return "\(result.verdict) \(result.reasons.rawValue) \(result.risk.bitPattern) \(estimate ?? "-")"
            + " \(result.fixedAt.milliseconds) \(result.lostFixes) \(result.isFlagged)"
            + " \(result.completedTrackChunk ?? 0) \(result.warnings)"
    }

    @Test("a state restored after every record gives identical results", arguments: 1...40)
    func restored(seed: Int) throws {
        let detector = SpoofDetector()
        var state = DriverState()
        var tracks = TrackMemory()
        var restored = DriverState()
        var restoredTracks = TrackMemory()
        var streamTime = TestDriver.start
        var verdicts: Set<Verdict> = []
        var longest = 0
        for (fix, receivedAt) in Self.stream(seed: UInt64(seed), count: 1500) {
            streamTime = max(streamTime, receivedAt)
            let expected = detector.evaluate(
                fix, receivedAt: receivedAt, streamTime: streamTime, state: &state, tracks: &tracks)
            let bytes = Self.encoded(restored)
            restored = try #require(Self.decoded(bytes), "seed \(seed)")
            let actual = detector.evaluate(
                fix, receivedAt: receivedAt, streamTime: streamTime, state: &restored, tracks: &restoredTracks)
            #expect(Self.bits(actual) == Self.bits(expected), "seed \(seed)")
            guard state == restored else {
                Issue.record("The states differ, seed \(seed).")
                return
            }
            verdicts.insert(expected.verdict)
            longest = max(longest, bytes.count)
        }
        // Checks that the stream covers these verdicts.
        #expect(verdicts.isSuperset(of: [.accepted, .late, .throttled, .rejected]), "seed \(seed): \(verdicts)")
        #expect(longest < 400)
    }

    @Test("a driver's state has at most 456 bytes in memory, and on a plain trip at most 270 bytes encoded")
    func sizes() {
        #expect(MemoryLayout<DriverState>.stride <= 456)
        let driver = TestDriver()
        driver.template.sessionHash = .max
        for second in 0..<300 {
            driver.template.speedMetersPerSecond = 10
            driver.template.altitudeMeters = Double(second % 9)
            driver.send(Double(second) * 10, at: Double(second), sequence: Int64(second) + 1)
        }
        let count = Self.encoded(driver.state).count
        print("encoded state: \(count) bytes of \(MemoryLayout<DriverState>.stride) in memory")
        #expect((100...270).contains(count))
    }

    @Test("an initial state can be stored and read")
    func initial() {
        #expect(Self.decoded(Self.encoded(DriverState())) == DriverState())
    }

    @Test("a state with implausible numbers cannot be read")
    func implausibleNumbers() {
        func isRead(_ change: (inout DriverState) -> Void) -> Bool {
            var state = DriverState()
            change(&state)
            return Self.decoded(Self.encoded(state)) != nil
        }
        #expect(isRead { $0.motion.covariance.ee = 1e15 })
        for wrong in [Float.nan, .infinity, -1, 2e15] {
            #expect(!isRead { $0.motion.covariance.ee = wrong }, "\(wrong)")
            #expect(!isRead { $0.risk.evidence = wrong }, "\(wrong)")
        }
        // With variances of 4 and 9, the covariance is at most 6.
        for (common, isPossible) in [(Float(6), true), (-6, true), (6.1, false), (-6.1, false), (.nan, false)] {
            let isAccepted = isRead {
                $0.motion.covariance.ee = 4
                $0.motion.covariance.vv = 9
                $0.motion.covariance.ev = common
            }
            #expect(isAccepted == isPossible, "\(common)")
        }
        #expect(!isRead { $0.motion.eastMetersPerSecond = .nan })
        #expect(!isRead { $0.motion.halt.seconds = .nan })
        #expect(!isRead { $0.seenAt = Timestamp(milliseconds: -1) })
        #expect(!isRead { $0.seenAt = Timestamp(milliseconds: .max) })
    }

    @Test("advancing a time by any number does not trap")
    func advancing() {
        let time = Timestamp(milliseconds: 5)
        #expect(time.advanced(bySeconds: 1e12) == Timestamp(milliseconds: 1_000_000_000_000_005))
        for seconds in [1.001e12, -1.001e12, .infinity, .nan, 1e300] {
            #expect(time.advanced(bySeconds: seconds) == time, "\(seconds)")
        }
    }

    @Test("another version, a truncated state and additional bytes cannot be read")
    func malformed() {
        let driver = TestDriver()
        driver.drive(for: 30)
        var bytes = Self.encoded(driver.state)
        for count in 0..<bytes.count { #expect(Self.decoded(Array(bytes.prefix(count))) == nil) }
        #expect(Self.decoded(bytes + [0]) == nil)
        bytes[0] = DriverState.versions.current + 1
        #expect(Self.decoded(bytes) == nil)
    }

    @Test("damaged bytes do not trap when they are read, nor with later fixes")
    func damaged() {
        let seed: UInt64 = 99
        var random = SeededGenerator(seed: seed)
        let source = TestDriver()
        source.drive(for: 60)
        let bytes = Self.encoded(source.state)
        for _ in 0..<20_000 {
            var copy = bytes
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                copy[Int.random(in: 1..<copy.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let state = Self.decoded(copy) else { continue }
            let driver = TestDriver()
            driver.state = state
            for second in 60..<66 { driver.send(Double(second) * 10, at: Double(second)) }
        }
    }
}
