import Codec
import Domain
import Simulation
import Support

/// Accuracy of `sightline process`: smoothed positions against reference positions, and arrival times against the times
/// of `ARRIVED` and `COMPLETED` trip messages.
final class OfflineScore {
    private let verdicts = VerdictReader()
    private let etas = TripEtaReader()
    private let trips = TripReader()
    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
    private var accuracy = AccuracyScore()
    private var arrivals = ArrivalScore()
    private var hasTruth = false
    private var truths: [String: TripGroundTruth] = [:]

    /// Stores the truth of a fix before its verdict.
    func expect(_ truth: FixGroundTruth?) {
        guard let truth else { return }
        hasTruth = true
        accuracy.expect(truth)
    }

    /// Adds a record of driver.locations.
    func addVerdict(_ value: ByteSlice?) {
        guard hasTruth, let value, let verdict = verdicts.read(value) else { return }
        accuracy.add(verdict)
    }

    /// Adds a record of trip.etas.
    func addEta(_ value: ByteSlice?) {
        guard let value, etas.read(value, into: &eta) != nil else { return }
        arrivals.add(eta)
    }

    /// Adds a trip message: `ARRIVED` is the arrival at the first stop, `COMPLETED` at the last.
    func addTrip(driverID: String, _ value: [UInt8]) {
        let message = ByteSlice.withBytes(of: driverID) { key in
            value.withUnsafeBytes { trips.read(key: key, value: ByteSlice($0)).message }
        }
        guard let message else { return }
        var truth =
            truths[message.tripID]
            ?? TripGroundTruth(
                tripID: message.tripID, driverID: driverID, kind: message.kind, stops: [], state: message.state)
        if truth.stops.isEmpty { truth.stops = message.stops.map { TripGroundTruth.Stop(id: $0.id, arrivedAt: nil) } }
        truth.state = message.state
        if !truth.stops.isEmpty, let at = message.changedAt {
            if message.state == .arrived, truth.stops[0].arrivedAt == nil { truth.stops[0].arrivedAt = at }
            if message.state == .completed { truth.stops[truth.stops.count - 1].arrivedAt = at }
        }
        truths[message.tripID] = truth
    }

    /// The figures that could be measured, a line each.
    var lines: [String] {
        var lines: [String] = []
        if let error = accuracy.rootMeanSquares {
            lines.append(
                "Smoothing: RMSE \(error.raw.rounded(toDecimals: 1)) m raw, "
                    + "\(error.smoothed.rounded(toDecimals: 1)) m smoothed, over \(accuracy.count) fixes")
        }
        if let result = arrivals.result(Array(truths.values)) {
            let within =
                result.withinInterval.map { ", \(Int(($0 * 100).rounded())) % within the predicted interval" } ?? ""
            lines.append(
                "Arrival times: \(result.count) predictions, mean absolute error "
                    + "\(result.meanAbsoluteErrorSeconds.rounded(toDecimals: 1)) s\(within)")
        }
        return lines
    }
}
