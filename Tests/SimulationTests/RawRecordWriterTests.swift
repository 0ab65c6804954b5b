import Testing

@testable import Codec
@testable import Domain
@testable import Simulation
@testable import Support

@Suite("Raw records of simulated devices")
struct RawRecordWriterTests {
    @Test("the pipeline reads the device's values from every record")
    func readable() throws {
        var configuration = Fleet.configuration(drivers: 60)
        configuration.cheaterShare = 0.1
        configuration.streets.tunnels = 25
        let reader = RawRecordReader()
        var batches = 0
        for record in Fleet.records(Fleet.events(configuration, seconds: 200)) {
            let result = read(record.value, key: record.key, with: reader)
            guard case .fixes(let isBatch) = result else {
                Issue.record("\(result): \(String(decoding: record.value, as: UTF8.self))")
                return
            }
            if isBatch { batches += 1 }
            #expect(isBatch == String(decoding: record.value.prefix(40), as: UTF8.self).contains("location_batch"))
            try #require(reader.fixes.count == record.fixes.count)
            for (raw, truth) in zip(reader.fixes, record.fixes) {
                #expect(raw.unreadable == nil)
                #expect(raw.fix.sequence == truth.sequence)
                #expect(raw.fix.coordinate == truth.reported)
                #expect(raw.fix.isOnTrip == truth.isOnTrip)
                let accuracy = truth.reportedAccuracyMeters == 0 ? nil : truth.reportedAccuracyMeters
                #expect(raw.fix.accuracyMeters == accuracy)
                #expect(raw.fix.hasZeroAccuracy == (truth.reportedAccuracyMeters == 0))
            }
        }
        #expect(batches > 0)
    }

    @Test("both formats contain the same fix", arguments: DeviceFormat.allCases)
    func formats(format: DeviceFormat) throws {
        var fix = ReportedFix(
            coordinate: Coordinate(latitude: -48.1234567, longitude: 0.000001),
            deviceAt: Timestamp(milliseconds: 1_741_977_135_123), sequence: 17, sessionID: "s\"1")
        fix.accuracyMeters = 5.25
        fix.headingDegrees = 359.9
        fix.speedMetersPerSecond = 12.34
        fix.altitudeMeters = -3.5
        fix.tripID = "tr_1"
        fix.source = .cached
        fix.batteryPercent = 42
        let reader = RawRecordReader()
        let bytes = RawRecordWriter.record(fix, driverID: "d1", format: format)
        let result = read(bytes, key: "d1", with: reader)
        guard case .fixes(isBatch: false) = result else {
            Issue.record("\(result)")
            return
        }
        let raw = try #require(reader.fixes.first)
        #expect(raw.fix.coordinate == fix.coordinate && raw.fix.accuracyMeters == 5.25)
        #expect(raw.fix.headingDegrees == 359.9 && raw.fix.speedMetersPerSecond == 12.34)
        #expect(raw.fix.altitudeMeters == -3.5 && raw.fix.deviceAt == fix.deviceAt && raw.fix.sequence == 17)
        #expect(raw.fix.source == .cached && raw.fix.isOnTrip && raw.batteryPercent == 42)
    }

    @Test("numbers have no trailing zeros, and no minus sign before 0")
    func numbers() {
        func text(_ value: Double, _ decimals: Int) -> String {
            var writer = ByteWriter()
            writer.appendNumber(value, decimals: decimals)
            return writer.bytes.string
        }
        #expect(text(1.5, 3) == "1.5" && text(-0.004, 2) == "0" && text(0.05, 2) == "0.05")
        #expect(text(-12.999, 2) == "-13" && text(179.123456789, 9) == "179.123456789" && text(7, 0) == "7")
    }

    private func read(_ bytes: [UInt8], key: String, with reader: RawRecordReader) -> RawReadResult {
        bytes.withUnsafeBytes { value in
            ByteSlice.withBytes(of: key) { reader.read(key: $0, value: ByteSlice(value)) }
        }
    }
}
