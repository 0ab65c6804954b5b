import Simulation

extension DemoReport {
    /// Errors before and after smoothing, by receiver and surroundings.
    var smoothingRows: [Row] {
        guard let errors = figures.accuracy.rootMeanSquares else {
            return [Row(name: "smoothing", figure: "–", meaning: Self.notMeasured)]
        }
        let all = [
            Row(
                name: "error reported", figure: Self.tenths(errors.raw), unit: "m",
                meaning: "RMS distance between reported and true positions of honest drivers"),
            Row(
                name: "error smoothed", figure: Self.tenths(errors.smoothed), unit: "m",
                meaning: "RMS distance after smoothing, \(Self.change(errors)) than reported"),
        ]
        return all + ReceptionConditions.all.compactMap(row)
    }

    private func row(_ conditions: ReceptionConditions) -> Row? {
        guard let group = figures.accuracy.byConditions[conditions], let errors = group.rootMeanSquares else {
            return nil
        }
        let receivers = conditions.receiver == .phone ? "phones that filter" : "raw receivers"
        let places = conditions.environment == .openRoad ? "on open roads" : "in street canyons"
        return Row(
            name: conditions.name, figure: Self.tenths(errors.smoothed), unit: "m",
            meaning:
                "smoothed, \(Self.change(errors)) than \(Self.tenths(errors.raw)) m reported: "
                + "\(pluralize(group.count, "fix", "fixes")) of \(receivers) \(places)")
    }

    /// Returns the difference of the smoothed error in whole percent.
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

        /// Returns `nil` without a fix with truth.
        init?(_ accuracy: AccuracyScore) {
            guard let errors = accuracy.rootMeanSquares else { return nil }
            fixes = accuracy.count
            raw = DemoReport.hundredths(errors.raw)
            smoothed = DemoReport.hundredths(errors.smoothed)
            groups = ReceptionConditions.all.compactMap { conditions in
                guard let group = accuracy.byConditions[conditions], let errors = group.rootMeanSquares else {
                    return nil
                }
                return Group(
                    receiver: conditions.receiver.rawValue, surroundings: conditions.environment.rawValue,
                    fixes: group.count, raw: DemoReport.hundredths(errors.raw),
                    smoothed: DemoReport.hundredths(errors.smoothed))
            }
        }
    }
}

extension ReceptionConditions {
    fileprivate var name: String {
        let place = environment == .openRoad ? "open road" : "canyon"
        return "\(receiver == .phone ? "phones" : "raw"), \(place)"
    }
}
