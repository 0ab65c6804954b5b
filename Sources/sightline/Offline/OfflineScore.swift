import Codec
import Model
import Simulation
import Support

/// What `sightline process` can say of how right it was: smoothed positions against a reference beside the fixes, and
/// arrival times against the times at which trip messages say that a trip arrived and ended.
final class OfflineScore {
    private let verdicts = VerdictReader()
    private let etas = TripEtaReader()
    private let trips = TripReader()
    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
    private var accuracy = AccuracyScore()
    private var arrivals = ArrivalScore()
    private var hasTruth = false
    private var truths: [String: TripTruth] = [:]

    /// Takes in what is true of a fix, before its verdict.
    func expect(_ truth: FixTruth?) {
        guard let truth else { return }
        hasTruth = true
        accuracy.expect(truth)
    }

    /// Takes in a record of driver.locations.
    func noteVerdict(_ value: ByteSlice?) {
        guard hasTruth, let value, let verdict = verdicts.read(value), let sequence = verdict.sequence else { return }
        accuracy.note(
            AccuracyScore.Fix(
                driverID: verdict.driverID.string, sessionID: verdict.sessionID.string, sequence: sequence),
            reported: verdict.raw.coordinate, estimate: verdict.estimate?.coordinate)
    }

    /// Takes in a record of trip.etas.
    func noteEta(_ value: ByteSlice?) {
        guard let value, etas.read(value, into: &eta) != nil else { return }
        arrivals.note(eta)
    }

    /// Takes in a trip message: `ARRIVED` is an arrival at the first stop, and `COMPLETED` one at the last.
    func noteTrip(driverID: String, _ value: [UInt8]) {
        let message = ByteSlice.withBytes(of: driverID) { key in
            value.withUnsafeBytes { trips.read(key: key, value: ByteSlice($0)).message }
        }
        guard let message else { return }
        var truth =
            truths[message.tripID]
            ?? TripTruth(
                tripID: message.tripID, driverID: driverID, kind: message.kind, stops: [], state: message.state)
        if truth.stops.isEmpty { truth.stops = message.stops.map { TripTruth.Stop(id: $0.id, arrivedAt: nil) } }
        truth.state = message.state
        if !truth.stops.isEmpty, let at = message.changedAt {
            if message.state == .arrived, truth.stops[0].arrivedAt == nil { truth.stops[0].arrivedAt = at }
            if message.state == .completed { truth.stops[truth.stops.count - 1].arrivedAt = at }
        }
        truths[message.tripID] = truth
    }

    /// A line for each thing that could be measured.
    var lines: [String] {
        var lines: [String] = []
        if let error = accuracy.rootMeanSquares {
            lines.append(
                "Smoothing: RMSE \(Self.tenths(error.raw)) m raw, \(Self.tenths(error.smoothed)) m smoothed, over "
                    + "\(accuracy.count) accepted fixes")
        }
        if let result = arrivals.result(Array(truths.values)) {
            let within = result.withinInterval.map { ", \(Int(($0 * 100).rounded())) % inside their interval" } ?? ""
            lines.append(
                "Arrival times: \(result.count) promises, off by \(Self.tenths(result.meanAbsoluteErrorSeconds)) s on "
                    + "average\(within)")
        }
        return lines
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
