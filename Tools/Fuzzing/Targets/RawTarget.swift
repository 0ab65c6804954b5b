import Codec
import Domain
import Foundation
import Support

/// Raw records, as any device may send them.
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
                hold(reader.fixes.isEmpty, "An unreadable record left fixes behind.")
                return holdSameRefusal(result, key, input)
            }
            hold(isBatch ? (1...500).contains(reader.fixes.count) : reader.fixes.count == 1, "A wrong number of fixes.")
            holdJSON(input)
            for raw in reader.fixes where raw.unreadable == nil {
                holdRanges(raw)
                hold(raw.fix.isBatched == isBatch, "A fix does not know whether it came in a batch.")
                holdWritten(raw, key)
            }
            holdSameInGeneralForm(key, input)
        }
    }

    /// What is read is JSON to others too.
    ///
    /// Foundation refuses a batch for one number beyond a double.
    private func holdJSON(_ input: ByteSlice) {
        guard !reader.fixes.contains(where: { $0.unreadable != nil }) else { return }
        let object = try? JSONSerialization.jsonObject(with: Data(input.buffer), options: .fragmentsAllowed)
        hold(object != nil, "A record was read that is no JSON.")
    }

    /// Why a record is refused does not depend on white space around it.
    private func holdSameRefusal(_ result: RawReadResult, _ key: ByteSlice, _ input: ByteSlice) {
        guard case .unreadable(let reason, _) = result, reason != .emptyValue, reason != .tooLarge else { return }
        withGeneralForm(of: input) { general in
            guard case .unreadable(let other, _) = again.read(key: key, value: general) else {
                return hold(false, "A record is refused (\(reason)), and read behind a space.")
            }
            hold(reason == other, "A record is refused as \(reason), and behind a space as \(other).")
        }
    }

    /// The quick reader and the general one read the same.
    private func holdSameInGeneralForm(_ key: ByteSlice, _ input: ByteSlice) {
        withGeneralForm(of: input) { general in
            guard general.count <= 64 * 1024 else { return }
            guard case .fixes = again.read(key: key, value: general) else {
                return hold(false, "A record is read, and refused behind a space.")
            }
            hold(again.fixes.count == reader.fixes.count, "Two readings give different numbers of fixes.")
            for (left, right) in zip(reader.fixes, again.fixes) {
                hold(isSame(left, right), "Two readings differ: \(left) and \(right).")
            }
        }
    }

    private func isSame(_ left: RawFix, _ right: RawFix) -> Bool {
        let (one, other) = (left.fix, right.fix)
        guard left.unreadable == right.unreadable, "\(left.unreadableField)" == "\(right.unreadableField)" else {
            return false
        }
        if left.unreadable != nil { return true }
        return left.sessionID == right.sessionID && left.tripID == right.tripID
            && left.batteryPercent == right.batteryPercent && left.occupancyPercent == right.occupancyPercent
            && one.coordinate == other.coordinate && one.accuracyMeters == other.accuracyMeters
            && one.hasZeroAccuracy == other.hasZeroAccuracy && one.headingDegrees == other.headingDegrees
            && one.speedMetersPerSecond == other.speedMetersPerSecond && one.altitudeMeters == other.altitudeMeters
            && one.deviceAt == other.deviceAt && one.sequence == other.sequence
            && one.sessionHash == other.sessionHash && one.contentHash == other.contentHash
            && one.identityHash == other.identityHash
            && one.source == other.source && one.integrity == other.integrity && one.isMock == other.isMock
            && one.isOnTrip == other.isOnTrip && one.isBatched == other.isBatched && left.report == right.report
    }

    private func holdRanges(_ raw: RawFix) {
        let fix = raw.fix
        holdPlace(fix.coordinate)
        hold(fix.accuracyMeters, in: Double.leastNonzeroMagnitude...1e8, "The accuracy")
        hold(fix.headingDegrees, in: 0...(360.0.nextDown), "The heading")
        hold(fix.speedMetersPerSecond, in: 0...1e6, "The speed")
        hold(fix.altitudeMeters, in: -1e7...1e7, "The altitude")
        hold(fix.deviceAt, "The device's time")
        hold(fix.sequence.map { $0 >= 0 } ?? true, "The sequence number is negative.")
        hold(raw.batteryPercent.map { (0...100).contains($0) } ?? true, "The battery is out of range.")
        hold(raw.occupancyPercent.map { (0...1000).contains($0) } ?? true, "The occupancy is out of range.")
        hold(raw.report.altitudeAccuracyMeters, in: 0...1e8, "The accuracy of the altitude")
        hold(raw.report.headingAccuracyDegrees, in: 0...360, "The accuracy of the heading")
        hold(raw.report.speedAccuracyMetersPerSecond, in: 0...1e6, "The accuracy of the speed")
        hold(fix.deviceAt != nil || fix.sequence != nil, "A fix has neither a time nor a number.")
        hold(!(fix.hasZeroAccuracy && fix.accuracyMeters != nil), "An accuracy is both zero and another.")
        hold((fix.sessionHash == 0) == raw.sessionID.isEmpty, "The hash of a session is wrong.")
        for text in [raw.sessionID, raw.tripID] where !text.isEmpty {
            holdText(text)
            holdName(text.string)
        }
    }

    /// What is written of a fix is read back as it was.
    private func holdWritten(_ raw: RawFix, _ key: ByteSlice) {
        let event = EventID(partition: 3, offset: 7)
        let judgement = VerdictResult(
            verdict: .rejected, risk: 0.25, fixedAt: Timestamp(milliseconds: 1_770_000_000_000))
        withWritten({
            VerdictWriter.write(
                event: event, driverID: key, raw: raw, result: judgement, receivedAt: judgement.fixedAt, into: &$0)
        }) { written in
            let record = held(verdicts.read(written), "A verdict that was written cannot be read.")
            hold(record.eventID == event && record.driverID == key, "A verdict names another event or driver.")
            hold(record.sessionID == raw.sessionID && record.tripID == raw.tripID, "Identifiers changed on the way.")
            hold(
                record.sequence == raw.fix.sequence && record.deviceAt == raw.fix.deviceAt, "A time or number changed.")
            hold(
                isNear(raw.fix.coordinate.latitude, record.raw.coordinate.latitude, decimals: 1e-7)
                    && isNear(raw.fix.coordinate.longitude, record.raw.coordinate.longitude, decimals: 1e-7)
                    && isNear(raw.fix.speedMetersPerSecond, record.raw.speedMetersPerSecond, decimals: 0.01)
                    && isNear(raw.fix.altitudeMeters, record.raw.altitudeMeters, decimals: 0.01), "A number changed.")
            hold(
                record.batteryPercent == raw.batteryPercent && record.occupancyPercent == raw.occupancyPercent,
                "A percentage changed.")
            hold(
                record.report.isMock == raw.report.isMock && record.report.isCharging == raw.report.isCharging
                    && record.report.networkType == raw.report.networkType
                    && record.report.motionActivity == raw.report.motionActivity, "What the device said changed.")
        }
    }
}
