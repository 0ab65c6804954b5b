import Simulation

extension DemoReport {
    /// Lists what smoothing changes, by receiver and surroundings.
    var smoothingRows: [Row] {
        guard let errors = figures.accuracy.rootMeanSquares else {
            return [Row(name: "smoothing", figure: "–", meaning: Self.isUnknown)]
        }
        let all = [
            Row(
                name: "error reported", figure: Self.tenths(errors.raw), unit: "m",
                meaning: "root mean square distance of reported positions of honest drivers from the true ones"),
            Row(
                name: "error smoothed", figure: Self.tenths(errors.smoothed), unit: "m",
                meaning: "the same of the positions that were passed on, \(Self.change(errors)) than reported"),
        ]
        return all + MeasuringConditions.all.compactMap(row)
    }

    private func row(_ conditions: MeasuringConditions) -> Row? {
        guard let group = figures.accuracy.byConditions[conditions], let errors = group.rootMeanSquares else {
            return nil
        }
        let receivers = conditions.receiver == .phone ? "phones that filter" : "raw receivers"
        let places = conditions.surroundings == .openRoad ? "on open roads" : "in street canyons"
        return Row(
            name: conditions.name, figure: Self.tenths(errors.smoothed), unit: "m",
            meaning:
                "smoothed, from \(Self.tenths(errors.raw)) m reported, \(Self.change(errors)): \(group.count) fixes of "
                + "\(receivers), \(places)")
    }

    /// States how much larger or smaller the smoothed error is, in whole percent.
    private static func change(_ errors: (raw: Double, smoothed: Double)) -> String {
        guard errors.raw > 0 else { return "0 % less" }
        let percent = Int(((errors.smoothed / errors.raw - 1) * 100).rounded())
        return percent > 0 ? "\(percent) % more" : "\(-percent) % less"
    }

    /// The errors as in the JSON report.
    struct Smoothing: Encodable {
        struct Group: Encodable {
            let receiver: String
            let surroundings: String
            let fixes: Int
            let raw: Double
            let smoothed: Double

            private enum CodingKeys: String, CodingKey {
                case receiver, surroundings, fixes
                case raw = "raw_rmse_meters"
                case smoothed = "smoothed_rmse_meters"
            }
        }

        let fixes: Int
        let raw: Double
        let smoothed: Double
        let groups: [Group]

        private enum CodingKeys: String, CodingKey {
            case fixes
            case raw = "raw_rmse_meters"
            case smoothed = "smoothed_rmse_meters"
            case groups = "by_receiver"
        }

        /// Returns `nil` when no fix had a truth.
        init?(_ accuracy: AccuracyScore) {
            guard let errors = accuracy.rootMeanSquares else { return nil }
            fixes = accuracy.count
            raw = DemoReport.hundredths(errors.raw)
            smoothed = DemoReport.hundredths(errors.smoothed)
            groups = MeasuringConditions.all.compactMap { conditions in
                guard let group = accuracy.byConditions[conditions], let errors = group.rootMeanSquares else {
                    return nil
                }
                return Group(
                    receiver: conditions.receiver.rawValue, surroundings: conditions.surroundings.rawValue,
                    fixes: group.count, raw: DemoReport.hundredths(errors.raw),
                    smoothed: DemoReport.hundredths(errors.smoothed))
            }
        }
    }
}

extension MeasuringConditions {
    /// As in the report's rows.
    fileprivate var name: String {
        let place = surroundings == .openRoad ? "open road" : "canyon"
        return "\(receiver == .phone ? "phones" : "raw"), \(place)"
    }
}
