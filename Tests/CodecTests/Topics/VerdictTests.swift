import TestSupport
import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Verdicts")
struct VerdictTests {
    private let reader = VerdictReader()
    /// Stored, because the fixes point into its memory.
    private let rawReader = RawRecordReader()

    private func write(_ event: EventID, _ raw: RawFix, _ result: VerdictResult, at: Timestamp, driver: String)
        -> String
    {
        written { writer in
            ByteSlice.withBytes(of: driver) {
                VerdictWriter.write(
                    event: event, driverID: $0, raw: raw, result: result, receivedAt: at, into: &writer)
            }
        }
    }

    @Test("a verdict is written in the wire format")
    func golden() throws {
        let raw = try #require(rawReader.single(RawSamples.rideshare))
        let result = VerdictResult(
            verdict: .accepted, reasons: [.suspect, .lowAccuracy], risk: 0.02,
            estimate: Estimate(
                coordinate: Coordinate(latitude: 37.775096, longitude: -122.418301), headingDegrees: 44.6,
                speedMetersPerSecond: 12.3, accuracyMeters: 3.9, confidence: .high, isHalted: false),
            fixedAt: Timestamp(milliseconds: 1_741_977_135_000))
        let text = write(
            EventID(partition: 3, offset: 184_467), raw, result, at: Timestamp(milliseconds: 1_741_977_135_500),
            driver: "drv_17")
        #expect(
            text == """
                {"event_id":"3-184467","driver_id":"drv_17","session_id":"s1","sequence":1847,"trip_id":"tr_4e5f",\
                "verdict":"accepted","reasons":["LOW_ACCURACY","SUSPECT"],"risk":0.02,"latitude":37.775096,\
                "longitude":-122.418301,"heading":44.6,"speed_mps":12.3,"accuracy_meters":3.9,"confidence":"HIGH",\
                "is_halted":false,"raw":{"latitude":37.7751,"longitude":-122.4183,"accuracy_meters":5.2,"heading":45,\
                "speed_mps":12.5,"altitude_meters":15,"is_mock":false,"integrity":"PASSED","source":"gps"},"device_at":"2025-03-14T18:32:15.123Z",\
                "fixed_at":"2025-03-14T18:32:15.000Z","received_at":"2025-03-14T18:32:15.500Z","battery_percent":72,\
                "occupancy_percent":40,"is_charging":false}
                """)
    }

    @Test("only values that the device reported are written")
    func wholeReport() throws {
        let result = VerdictResult(verdict: .late, fixedAt: Timestamp(milliseconds: 0))
        func verdict(_ record: String) throws -> String {
            write(
                EventID(partition: 0, offset: 0), try #require(rawReader.single(record)), result,
                at: Timestamp(milliseconds: 0), driver: "d")
        }
        #expect(
            try verdict(RawSamples.mobile) == """
                {"event_id":"0-0","driver_id":"d","sequence":1847,"verdict":"late","reasons":[],"risk":0,\
                "raw":{"latitude":37.7751,"longitude":-122.4183,"accuracy_meters":5.2,"heading":45,"speed_mps":12.5,\
                "altitude_meters":15,"source":"fused","altitude_accuracy_meters":8.1,"heading_accuracy_degrees":2,\
                "speed_accuracy_mps":0.5},"device_at":"2025-03-14T18:32:15.123Z","fixed_at":"1970-01-01T00:00:00.000Z",\
                "received_at":"1970-01-01T00:00:00.000Z","battery_percent":72,"is_charging":false,"network_type":"4g",\
                "motion_activity":"automotive"}
                """)
        #expect(
            try verdict(RawSamples.good()) == """
                {"event_id":"0-0","driver_id":"d","verdict":"late","reasons":[],"risk":0,\
                "raw":{"latitude":1,"longitude":2},"device_at":"2025-03-14T18:32:15.123Z",\
                "fixed_at":"1970-01-01T00:00:00.000Z","received_at":"1970-01-01T00:00:00.000Z"}
                """)
    }

    @Test("estimates of accepted and throttled verdicts are read, estimates of other verdicts are ignored")
    func estimates() throws {
        let raw = try #require(rawReader.single(RawSamples.rideshare))
        let estimate = Estimate(
            coordinate: Coordinate(latitude: 37.775096, longitude: -122.418301), headingDegrees: 44.6,
            speedMetersPerSecond: 12.3, accuracyMeters: 3.9, confidence: .high, isHalted: false)
        for verdict in Verdict.allCases {
            for given in [estimate, nil] where given != nil || verdict != .accepted {
                let result = VerdictResult(
                    verdict: verdict, reasons: .rateLimited, estimate: given, fixedAt: Timestamp(milliseconds: 5))
                let text = write(
                    EventID(partition: 1, offset: 2), raw, result, at: Timestamp(milliseconds: 6), driver: "d")
                let isKept = given != nil && (verdict == .accepted || verdict == .throttled)
                let read = ByteSlice.withBytes(of: text) { reader.read($0)?.estimate?.coordinate }
                #expect(read == (isKept ? estimate.coordinate : nil), "\(text)")
            }
        }
    }

    @Test("mock flag, failed integrity, source and zero accuracy are written")
    func unusualDevice() {
        var raw = RawFix(fix: Fix(coordinate: Coordinate(latitude: 1, longitude: 2)))
        raw.fix.isMock = true
        raw.report.isMock = true
        raw.fix.integrity = .failed
        raw.fix.source = .cached
        raw.fix.hasZeroAccuracy = true
        let result = VerdictResult(verdict: .rejected, reasons: .mockLocation, fixedAt: Timestamp(milliseconds: 0))
        let text = write(EventID(partition: 0, offset: 0), raw, result, at: Timestamp(milliseconds: 0), driver: "d")
        #expect(
            text == """
                {"event_id":"0-0","driver_id":"d","verdict":"rejected","reasons":["MOCK_LOCATION"],"risk":0,\
                "raw":{"latitude":1,"longitude":2,"accuracy_meters":0,"is_mock":true,"integrity":"FAILED",\
                "source":"cached"},"fixed_at":"1970-01-01T00:00:00.000Z","received_at":"1970-01-01T00:00:00.000Z"}
                """)
        #expect(ByteSlice.withBytes(of: text) { reader.read($0)?.raw.accuracyMeters } == 0)
    }

    @Test("a written verdict is read back", arguments: [UInt64(31)])
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3000 {
            let session = generator.text()
            let trip = generator.text()
            let driver = generator.identifier()
            var raw = RawFix(fix: fix(&generator))
            raw.batteryPercent = generator.maybe { .random(in: 0...100, using: &$0) }
            raw.occupancyPercent = generator.maybe { .random(in: 0...1000, using: &$0) }
            raw.report = report(&generator)
            let result = result(&generator)
            let event = EventID(partition: 7, offset: .random(in: 0 ... .max, using: &generator)).withFix(3)
            let at = generator.time()
            let text = ByteSlice.withBytes(of: session) { session in
                ByteSlice.withBytes(of: trip) { trip in
                    raw.sessionID = session
                    raw.tripID = trip
                    return write(event, raw, result, at: at, driver: driver)
                }
            }
            try ByteSlice.withBytes(of: text) {
                let record = try #require(reader.read($0), "seed \(seed): \(text)")
                #expect(record.eventID == event)
                #expect(record.driverID.string == driver)
                #expect(record.sessionID.string == session)
                #expect(record.tripID.string == trip)
                #expect(record.receivedAt == at)
                expectSame(record, raw, result, text)
            }
        }
    }

    /// Returns a verdict without values that require the generic reader, like nearly all verdicts.
    private func canonical(_ generator: inout SeededGenerator) -> String {
        var raw = RawFix(fix: fix(&generator))
        raw.fix.sequence = generator.maybe { .random(in: -99...999_999_999_999_999, using: &$0) }
        raw.report = report(&generator)
        raw.fix.integrity = generator.maybe { _ in .failed } ?? .unknown
        raw.fix.source = generator.maybe { _ in .fused } ?? .gps
        raw.batteryPercent = generator.maybe { .random(in: 0...100, using: &$0) }
        raw.occupancyPercent = generator.maybe { .random(in: 0...1000, using: &$0) }
        let event = EventID(partition: 7, offset: .random(in: 0 ... .max, using: &generator)).withFix(3)
        let result = result(&generator)
        let at = generator.time()
        let driver = generator.identifier()
        return ByteSlice.withBytes(of: generator.identifier()) { session in
            ByteSlice.withBytes(of: generator.identifier()) { trip in
                raw.sessionID = session
                raw.tripID = trip
                return write(event, raw, result, at: at, driver: driver)
            }
        }
    }

    private func content(_ record: VerdictRecord?) -> String {
        guard let record else { return "unreadable" }
        let texts = [record.driverID, record.sessionID, record.tripID].map(\.string)
        let times = [record.deviceAt, record.fixedAt, record.receivedAt]
        let percents = [record.batteryPercent, record.occupancyPercent]
        return "\(record.eventID) \(texts) \(times) \(percents) \(String(describing: record.sequence)) "
            + "\(record.verdict) \(record.reasons) \(record.risk) \(record.raw) \(record.report) \(String(describing: record.estimate))"
    }

    @Test("the generic reader reads equal values from canonical records, even if damaged", arguments: [UInt64(79)])
    func sameAsGeneric(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let generic = VerdictReader()
        for _ in 0..<8 {
            let text = canonical(&generator)
            let isRead = ByteSlice.withBytes(of: text) { reader.read($0) != nil }
            #expect(isRead && reader.isCanonical, "seed \(seed): \(text)")
            forEachDamage(of: text) { record in
                let read = reader.read(record)
                guard reader.isCanonical else { return }
                // A leading space selects the generic reader.
                ([UInt8(ascii: " ")] + Array(record.buffer)).withUnsafeBytes {
                    let expected = generic.read(ByteSlice($0))
                    #expect(content(read) == content(expected), "seed \(seed): \(record.string)")
                    #expect(!generic.isCanonical)
                }
            }
        }
    }

    @Test("a date of ten zero bytes makes a verdict unreadable")
    func zeroDate() {
        var generator = SeededGenerator(seed: 80)
        let text = canonical(&generator)
        var bytes = Array(text.utf8)
        let name = Array("_at\":\"".utf8)
        for start in bytes.indices where bytes[start...].starts(with: name) {
            for index in start + name.count..<start + name.count + 10 { bytes[index] = 0 }
        }
        #expect(bytes != Array(text.utf8))
        let isRead = bytes.withUnsafeBytes { reader.read(ByteSlice($0)) != nil }
        #expect(!isRead && !reader.isCanonical)
    }

    private func expectSame(_ record: VerdictRecord, _ raw: RawFix, _ result: VerdictResult, _ text: String) {
        #expect(record.sequence == raw.fix.sequence)
        #expect(record.verdict == result.verdict)
        #expect(record.reasons == result.reasons)
        #expect(record.risk == result.risk)
        #expect(record.fixedAt == result.fixedAt)
        #expect(record.deviceAt == raw.fix.deviceAt)
        #expect(record.batteryPercent == raw.batteryPercent)
        #expect(record.occupancyPercent == raw.occupancyPercent)
        #expect(record.raw.coordinate == raw.fix.coordinate)
        #expect(record.raw.accuracyMeters == raw.fix.accuracyMeters)
        #expect(record.raw.headingDegrees == raw.fix.headingDegrees)
        #expect(record.raw.speedMetersPerSecond == raw.fix.speedMetersPerSecond)
        #expect(record.raw.altitudeMeters == raw.fix.altitudeMeters)
        #expect(record.report == raw.report, "\(text)")
        #expect((record.estimate == nil) == (result.estimate == nil), "\(text)")
        guard let read = record.estimate, let estimate = result.estimate else { return }
        #expect(read.coordinate == estimate.coordinate)
        #expect(read.headingDegrees == estimate.headingDegrees)
        #expect(read.speedMetersPerSecond == estimate.speedMetersPerSecond)
        #expect(read.accuracyMeters == estimate.accuracyMeters)
        #expect(read.confidence == estimate.confidence)
        #expect(read.isHalted == estimate.isHalted)
    }

    private func fix(_ generator: inout SeededGenerator) -> Fix {
        var fix = Fix(
            coordinate: Coordinate(
                latitude: generator.decimal(in: -90...90, digits: 7),
                longitude: generator.decimal(in: -180...180, digits: 7)))
        fix.accuracyMeters = generator.maybe { $0.decimal(in: 1...500, digits: 2) }
        fix.headingDegrees = generator.maybe { $0.decimal(in: 0...359, digits: 2) }
        fix.speedMetersPerSecond = generator.maybe { $0.decimal(in: 0...60, digits: 2) }
        fix.altitudeMeters = generator.maybe { $0.decimal(in: -400...5000, digits: 2) }
        fix.sequence = generator.maybe { .random(in: 0 ... .max, using: &$0) }
        fix.deviceAt = generator.maybe { $0.time() }
        return fix
    }

    private func report(_ generator: inout SeededGenerator) -> DeviceReport {
        var report = DeviceReport()
        report.altitudeAccuracyMeters = generator.maybe { $0.decimal(in: 0...99, digits: 2) }
        report.headingAccuracyDegrees = generator.maybe { $0.decimal(in: 0...359, digits: 2) }
        report.speedAccuracyMetersPerSecond = generator.maybe { $0.decimal(in: 0...9, digits: 2) }
        report.isMock = generator.maybe { .random(using: &$0) }
        report.isCharging = generator.maybe { .random(using: &$0) }
        report.networkType = NetworkType.allCases.randomElement(using: &generator)
        report.motionActivity = generator.maybe { _ in .cycling }
        return report
    }

    private func result(_ generator: inout SeededGenerator) -> VerdictResult {
        let verdict = Verdict.allCases.randomElement(using: &generator) ?? .accepted
        var estimate: Estimate?
        if verdict == .accepted || (verdict == .throttled && Bool.random(using: &generator)) {
            estimate = Estimate(
                coordinate: Coordinate(
                    latitude: generator.decimal(in: -90...90, digits: 7),
                    longitude: generator.decimal(in: -180...180, digits: 7)),
                headingDegrees: generator.maybe { $0.decimal(in: 0...359, digits: 2) },
                speedMetersPerSecond: generator.decimal(in: 0...60, digits: 2),
                accuracyMeters: generator.decimal(in: 0...500, digits: 2),
                confidence: Confidence.allCases.randomElement(using: &generator) ?? .low,
                isHalted: Bool.random(using: &generator))
        }
        var result = VerdictResult(
            verdict: verdict,
            reasons: Reasons(rawValue: .random(in: 0..<(1 << UInt32(Reasons.all.count)), using: &generator)),
            risk: generator.decimal(in: 0...1, digits: 3), estimate: estimate, fixedAt: generator.time())
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            result.riskSignals.formUnion(Signals.all.randomElement(using: &generator)?.value ?? [])
        }
        return result
    }

    @Test("every signal is read back, and a verdict without signals omits the member")
    func riskSignals() throws {
        let raw = RawFix(fix: Fix(coordinate: Coordinate(latitude: 1, longitude: 2)))
        var result = VerdictResult(verdict: .rejected, risk: 0.5, fixedAt: Timestamp(milliseconds: 5))
        func text() -> String {
            write(EventID(partition: 1, offset: 2), raw, result, at: Timestamp(milliseconds: 6), driver: "d")
        }
        #expect(!text().contains("risk_signals"))
        for (code, signal) in Signals.all {
            result.riskSignals = signal
            #expect(text().contains("\"risk\":0.5,\"risk_signals\":[\"\(code)\"]"))
            for record in [text(), " " + text()] {
                #expect(ByteSlice.withBytes(of: record) { reader.read($0)?.riskSignals } == signal)
            }
        }
    }

    @Test("every reason is read back")
    func reasons() throws {
        for (code, reason) in Reasons.all {
            let raw = RawFix(fix: Fix(coordinate: Coordinate(latitude: 1, longitude: 2)))
            let result = VerdictResult(verdict: .rejected, reasons: reason, fixedAt: Timestamp(milliseconds: 5))
            let text = write(
                EventID(partition: 1, offset: 2), raw, result, at: Timestamp(milliseconds: 6), driver: "d")
            #expect(text.contains("\"reasons\":[\"\(code)\"]"))
            #expect(ByteSlice.withBytes(of: text) { reader.read($0)?.reasons } == reason)
        }
    }

    @Test(
        "a verdict with numbers out of range, an id of another source or a missing estimate is unreadable",
        arguments: [
            ("\"risk\":0.5", "\"risk\":1.001"), ("\"risk\":0.5", "\"risk\":-0.1"),
            ("2,\"longitude\":1}", "91,\"longitude\":1}"),
            ("2,\"longitude\":1}", "2,\"longitude\":-181}"), ("\"3-7\"", "\"t3-7\""), ("\"3-7\"", "\"3-7+1\""),
            ("\"3-7\"", "\"3-7/1\""), ("rejected", "accepted"),
        ])
    func outOfRange(written: String, forged: String) {
        let text = """
            {"event_id":"3-7","driver_id":"d","verdict":"rejected","reasons":[],"risk":0.5,"raw":{"latitude":2,"longitude":1},\
            "fixed_at":"2025-03-14T18:32:15.000Z","received_at":"2025-03-14T18:32:15.000Z"}
            """
        let other = text.replacing(written, with: forged)
        #expect(ByteSlice.withBytes(of: text) { reader.read($0) } != nil)
        #expect(other != text)
        for record in [other, " " + other] {
            #expect(ByteSlice.withBytes(of: record) { reader.read($0) } == nil, "\(record)")
        }
    }

    @Test("an unknown reason of a newer writer is ignored")
    func unknownReason() {
        let text = write(
            EventID(partition: 1, offset: 2), RawFix(fix: Fix(coordinate: Coordinate(latitude: 1, longitude: 2))),
            VerdictResult(verdict: .rejected, reasons: .suspect, fixedAt: Timestamp(milliseconds: 5)),
            at: Timestamp(milliseconds: 6), driver: "d"
        ).replacing("[\"SUSPECT\"]", with: "[\"BRAND_NEW\",\"SUSPECT\"]")
        #expect(ByteSlice.withBytes(of: text) { reader.read($0)?.reasons } == .suspect)
    }

    @Test("texts full of escapes fit into the reserved space")
    func worstCase() throws {
        let long = String(repeating: "\u{1}", count: 128)
        var raw = RawFix(fix: Fix(coordinate: Coordinate(latitude: -89.1234567, longitude: -179.1234567)))
        raw.fix.sequence = .max
        raw.fix.accuracyMeters = -1e300
        raw.fix.headingDegrees = 359.99
        raw.fix.speedMetersPerSecond = -1e300
        raw.fix.altitudeMeters = -1e300
        raw.fix.deviceAt = Timestamp(milliseconds: .max)
        raw.fix.integrity = .failed
        raw.fix.source = .cellular
        raw.batteryPercent = .min
        raw.occupancyPercent = .min
        raw.report.altitudeAccuracyMeters = -1e300
        raw.report.headingAccuracyDegrees = -1e300
        raw.report.speedAccuracyMetersPerSecond = -1e300
        raw.report.isMock = false
        raw.report.isCharging = false
        raw.report.networkType = .ethernet
        raw.report.motionActivity = .stationary
        let estimate = Estimate(
            coordinate: Coordinate(latitude: -1e300, longitude: -1e300), headingDegrees: -1e300,
            speedMetersPerSecond: -1e300,
            accuracyMeters: -1e300, confidence: .medium, isHalted: false)
        let all = Reasons(rawValue: .max)
        let result = VerdictResult(
            verdict: .throttled, reasons: all, risk: -1e300, estimate: estimate, fixedAt: Timestamp(milliseconds: .max))
        let event = EventID(partition: .max, offset: .max).withFix(0xFFFD).withPunctuation((1 << 40) - 1).withMessage(
            255)
        let text = ByteSlice.withBytes(of: long) { long in
            raw.sessionID = long
            raw.tripID = long
            return write(
                event, raw, result, at: Timestamp(milliseconds: .max), driver: String(repeating: "\"", count: 128))
        }
        #expect(text.hasSuffix("}"))
    }

    @Test("damaged verdicts do not crash the reader, and incomplete verdicts are unreadable")
    func damage() throws {
        let raw = try #require(rawReader.single(RawSamples.rideshare))
        let result = VerdictResult(verdict: .late, reasons: .clockSkew, fixedAt: Timestamp(milliseconds: 5))
        let text = write(EventID(partition: 1, offset: 2), raw, result, at: Timestamp(milliseconds: 6), driver: "d")
        var unreadable = 0
        forEachDamage(of: text) { if reader.read($0) == nil { unreadable += 1 } }
        #expect(unreadable >= text.utf8.count)
        for name in ["event_id", "driver_id", "verdict", "raw", "fixed_at", "received_at"] {
            let without = text.replacing("\"\(name)\":", with: "\"no_\(name)\":")
            #expect(ByteSlice.withBytes(of: without) { reader.read($0) == nil }, "without \(name)")
        }
        ByteSlice.withBytes(of: text.replacing("\"late\"", with: "\"accepted\"")) { #expect(reader.read($0) == nil) }
    }
}
