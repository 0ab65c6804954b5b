import Codec
import Domain
import Support

/// Verdicts, as the workers after the first read them.
final class VerdictTarget: FuzzTarget {
    static let name = "verdict"
    private let reader = VerdictReader()
    private let general = VerdictReader()

    func run(_ input: ByteSlice) {
        let record = reader.read(input)
        withGeneralForm(of: input) {
            let other = general.read($0)
            hold((record == nil) == (other == nil), "One reader of verdicts refuses what the other reads.")
            guard let record, let other else { return }
            hold(isSame(record, other), "The readers of verdicts differ: \(record) and \(other).")
            holdRanges(record)
        }
    }

    private func holdRanges(_ record: VerdictRecord) {
        hold(record.risk, in: 0...1, "The risk")
        holdText(record.driverID)
        for text in [record.sessionID, record.tripID] where !text.isEmpty { holdText(text) }
        holdPlace(record.raw.coordinate)
        hold(record.estimate != nil || record.verdict != .accepted, "An acceptance without an estimate.")
        hold(
            record.estimate == nil || record.verdict == .accepted || record.verdict == .throttled,
            "An estimate of a fix that was not believed.")
        if let estimate = record.estimate {
            holdPlace(estimate.coordinate)
            hold(estimate.headingDegrees, in: 0...(360.0.nextDown), "The heading")
            hold(estimate.speedMetersPerSecond, in: 0...1e15, "The speed")
            hold(estimate.accuracyMeters, in: 0...1e15, "The accuracy")
        }
        hold(record.deviceAt, "The device's time")
        hold(record.fixedAt, "The time of the fix")
        hold(record.receivedAt, "The receipt")
        hold(record.batteryPercent.map { (0...10_000).contains($0) } ?? true, "The battery is out of range.")
        hold(record.occupancyPercent.map { (0...10_000).contains($0) } ?? true, "The occupancy is out of range.")
    }

    private func isSame(_ left: VerdictRecord, _ right: VerdictRecord) -> Bool {
        left.eventID == right.eventID && left.driverID == right.driverID && left.sessionID == right.sessionID
            && left.tripID == right.tripID && left.sequence == right.sequence && left.verdict == right.verdict
            && left.reasons == right.reasons && left.risk == right.risk && isSame(left.estimate, right.estimate)
            && isSame(left.raw, right.raw) && left.deviceAt == right.deviceAt && left.fixedAt == right.fixedAt
            && left.receivedAt == right.receivedAt && left.batteryPercent == right.batteryPercent
            && left.occupancyPercent == right.occupancyPercent && left.report == right.report
    }

    private func isSame(_ left: Estimate?, _ right: Estimate?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.coordinate == right.coordinate && left.headingDegrees == right.headingDegrees
            && left.speedMetersPerSecond == right.speedMetersPerSecond && left.accuracyMeters == right.accuracyMeters
            && left.confidence == right.confidence && left.isHalted == right.isHalted
    }

    private func isSame(_ left: VerdictRecord.Raw, _ right: VerdictRecord.Raw) -> Bool {
        left.coordinate == right.coordinate && left.accuracyMeters == right.accuracyMeters
            && left.headingDegrees == right.headingDegrees && left.speedMetersPerSecond == right.speedMetersPerSecond
            && left.altitudeMeters == right.altitudeMeters && left.integrity == right.integrity
            && left.source == right.source
    }
}
