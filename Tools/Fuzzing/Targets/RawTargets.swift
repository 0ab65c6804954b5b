import Codec
import Domain
import Foundation
import Recordings
import Support

/// Fuzz target for raw records of devices.
final class RawTarget: FuzzTarget {
    static let name = "raw"
    private let reader = RawRecordReader()
    private let again = RawRecordReader()
    private let verdicts = VerdictReader()
    private let key = "d7"

    func run(_ input: ByteSlice) {
        ByteSlice.withBytes(of: key) { key in
            let result = reader.read(key: key, value: input)
            guard case .fixes(let isBatch) = result else {
                expect(reader.fixes.isEmpty, "An unreadable record has fixes.")
                return expectSameReason(result, key, input)
            }
            expect(
                isBatch ? (1...500).contains(reader.fixes.count) : reader.fixes.count == 1,
                "The number of fixes is wrong.")
            expectJSON(input)
            for raw in reader.fixes where raw.unreadable == nil {
                expectRanges(raw)
                expect(raw.fix.isBatched == isBatch, "isBatched of a fix is wrong.")
                expectWritten(raw, key)
            }
            expectSameFromGeneralReader(key, input)
        }
    }

    /// Expects that Foundation accepts a record as JSON if all its fixes are readable.
    private func expectJSON(_ input: ByteSlice) {
        guard !reader.fixes.contains(where: { $0.unreadable != nil }) else { return }
        let object = try? JSONSerialization.jsonObject(with: Data(input.buffer), options: .fragmentsAllowed)
        expect(object != nil, "A readable record is not JSON.")
    }

    /// Expects that the general reader returns the same reason for an unreadable record.
    private func expectSameReason(_ result: RawReadResult, _ key: ByteSlice, _ input: ByteSlice) {
        guard case .unreadable(let reason, _) = result, reason != .emptyValue, reason != .tooLarge else { return }
        withLeadingSpace(before: input) { general in
            guard case .unreadable(let other, _) = again.read(key: key, value: general) else {
                fail("A record is unreadable (\(reason)), but readable after a space.")
            }
            expect(reason == other, "A record is unreadable (\(reason)), and after a space (\(other)).")
        }
    }

    /// Expects that the fast and the general reader return the same fixes.
    private func expectSameFromGeneralReader(_ key: ByteSlice, _ input: ByteSlice) {
        withLeadingSpace(before: input) { general in
            guard general.count <= 64 * 1024 else { return }
            guard case .fixes = again.read(key: key, value: general) else {
                fail("A record is readable, but not after a space.")
            }
            expect(again.fixes.count == reader.fixes.count, "The readers give different numbers of fixes.")
            for (left, right) in zip(reader.fixes, again.fixes) {
                expect(isSame(left, right), "The readers differ: \(left) and \(right).")
            }
        }
    }

    /// Compares fixes; for unreadable elements, only the reasons are defined.
    private func isSame(_ left: RawFix, _ right: RawFix) -> Bool {
        guard left.unreadable != nil else { return left == right }
        return left.unreadable == right.unreadable && "\(left.unreadableField)" == "\(right.unreadableField)"
    }

    private func expectRanges(_ raw: RawFix) {
        let fix = raw.fix
        expectCoordinate(fix.coordinate)
        expect(fix.accuracyMeters, in: Double.leastNonzeroMagnitude...1e8, "The accuracy")
        expect(fix.headingDegrees, in: 0...(360.0.nextDown), "The heading")
        expect(fix.speedMetersPerSecond, in: 0...1e6, "The speed")
        expect(fix.altitudeMeters, in: -1e7...1e7, "The altitude")
        expect(fix.deviceAt, "The device time")
        expect(fix.sequence.map { $0 >= 0 } ?? true, "The sequence number is negative.")
        expect(raw.batteryPercent.map { (0...100).contains($0) } ?? true, "The battery is out of range.")
        expect(raw.occupancyPercent.map { (0...1000).contains($0) } ?? true, "The occupancy is out of range.")
        expect(raw.report.altitudeAccuracyMeters, in: 0...1e8, "The accuracy of the altitude")
        expect(raw.report.headingAccuracyDegrees, in: 0...360, "The accuracy of the heading")
        expect(raw.report.speedAccuracyMetersPerSecond, in: 0...1e6, "The accuracy of the speed")
        expect(fix.deviceAt != nil || fix.sequence != nil, "A fix has neither a time nor a sequence number.")
        expect(!(fix.hasZeroAccuracy && fix.accuracyMeters != nil), "A fix has a zero accuracy and another one.")
        expect((fix.sessionHash == 0) == raw.sessionID.isEmpty, "The session hash is wrong.")
        for text in [raw.sessionID, raw.tripID] where !text.isEmpty {
            expectText(text)
            expectName(text.string)
        }
    }

    /// Expects that writing a verdict and reading it again preserves the fix.
    private func expectWritten(_ raw: RawFix, _ key: ByteSlice) {
        let event = EventID(partition: 3, offset: 7)
        let result = VerdictResult(
            verdict: .rejected, risk: 0.25, fixedAt: Timestamp(milliseconds: 1_770_000_000_000))
        withWritten({
            VerdictWriter.write(
                event: event, driverID: key, raw: raw, result: result, receivedAt: result.fixedAt, into: &$0)
        }) { written in
            let record = require(verdicts.read(written), "A written verdict is unreadable.")
            expect(record.eventID == event && record.driverID == key, "A verdict has another event id or driver.")
            expect(record.sessionID == raw.sessionID && record.tripID == raw.tripID, "Identifiers changed.")
            expect(
                record.sequence == raw.fix.sequence && record.deviceAt == raw.fix.deviceAt,
                "The device time or sequence number changed.")
            expect(
                isNear(raw.fix.coordinate.latitude, record.raw.coordinate.latitude, decimals: 1e-7)
                    && isNear(raw.fix.coordinate.longitude, record.raw.coordinate.longitude, decimals: 1e-7)
                    && isNear(raw.fix.speedMetersPerSecond, record.raw.speedMetersPerSecond, decimals: 0.01)
                    && isNear(raw.fix.altitudeMeters, record.raw.altitudeMeters, decimals: 0.01), "A number changed.")
            expect(
                record.batteryPercent == raw.batteryPercent && record.occupancyPercent == raw.occupancyPercent,
                "A percentage changed.")
            expect(
                record.report.isMock == raw.report.isMock && record.report.isCharging == raw.report.isCharging
                    && record.report.networkType == raw.report.networkType
                    && record.report.motionActivity == raw.report.motionActivity, "The device report changed.")
        }
    }
}

/// Fuzz target for lines of recorded raw records, with shifted times.
final class RawLineTarget: FuzzTarget {
    static let name = "rawline"
    private let reader = RawRecordReader()

    func run(_ input: ByteSlice) {
        let original = RawLine(input)
        expect(original.fixes >= 1, "A line has no fixes.")
        expect(original.newest, "The newest time")
        let shifted = RawLine(input, shift(by: 60_000))
        expect(
            shifted.driverID == original.driverID && shifted.newest == original.newest,
            "A shift changes the driver or the newest time.")
        guard original.newest != nil else {
            return expect(shifted.bytes.elementsEqual(input.buffer), "A shift changes a line without times.")
        }
        let back = shifted.bytes.withUnsafeBytes { RawLine(ByteSlice($0), shift(by: -60_000)) }
        expect(back.fixes == original.fixes, "A shift loses fixes.")
        if original.newest.map({ $0.milliseconds < 253_402_300_739_999 }) ?? false {
            expect(
                back.newest?.milliseconds == original.newest.map { $0.milliseconds + 60_000 },
                "A time is shifted by a wrong amount.")
        }
    }

    private func shift(by milliseconds: Int64) -> ReplayTransform {
        var transform = ReplayTransform()
        transform.shiftMilliseconds = milliseconds
        return transform
    }
}
