import Domain
import Foundation
import Recordings
import SightlineCLI

/// What changes when a number of the smoothing is left out, one after the other.
package struct SmoothingAblation: EvaluationReport {
    /// A change that is told.
    package struct Change: Encodable, Sendable {
        package var measure: String
        /// Percent of a ratio, or points of a share; without the part minus with it.
        package var change: Double
        package var isShare: Bool
    }

    /// Traces of one file.
    package struct Recording: Sendable {
        let name: String
        let traces: [RecordedTrace]

        package init(name: String, traces: [RecordedTrace]) {
            self.name = name
            self.traces = traces
        }
    }

    package struct Part: Encodable, Sendable {
        package var name: String
        package var changes: [Change]

        /// The greatest change for the worse and for the better of the ratios, in percent, and of the shares, in points.
        var extremes: [Change?] {
            let (ratios, shares) = (changes.filter { !$0.isShare }, changes.filter(\.isShare))
            return [ratios.max { $0.change < $1.change }, ratios.min { $0.change < $1.change }]
                + [shares.max { $0.change < $1.change }, shares.min { $0.change < $1.change }]
        }
    }

    package private(set) var parts: [Part] = []

    /// Pure and seeded: the same recordings give the same report.
    ///
    /// `progress` is told what is being done.
    package init(
        on recordings: [Recording], roads: RoadLines? = nil, parts: [SmoothingPart] = SmoothingPart.all,
        seeds: ClosedRange<UInt64> = SmoothingScenario.checkingSeeds, progress: (String) -> Void = { _ in }
    ) {
        progress("smoothing with all parts")
        let whole = SmoothingMeasures(recordings, roads: roads, seeds: seeds, settings: TrackingSettings()).measures
        for part in parts {
            progress("smoothing without \(part.name)")
            var settings = TrackingSettings()
            part.leaveOut(&settings.smoothing)
            let without = SmoothingMeasures(recordings, roads: roads, seeds: seeds, settings: settings).measures
            let changes = zip(without, whole).map { without, with in
                let change = with.isShare ? without.value - with.value : without.value / with.value - 1
                return Change(measure: with.name, change: 100 * change, isShare: with.isShare)
            }
            self.parts.append(Part(name: part.name, changes: changes))
        }
    }

    package var plots: [String: LinePlot] { [:] }

    package var tables: [TextTable] {
        var table = TextTable(
            title: "Without one number of the smoothing: greatest changes of a ratio to raw, in percent, and of a "
                + "share within the accuracy given (1x) or of recoveries, in points",
            columns: ["left out", "worse", "of", "better", "of", "larger share", "of", "smaller share", "of"])
        for part in parts {
            let signs: [FloatingPointSign] = [.plus, .minus, .plus, .minus]
            let cells = zip(part.extremes, signs).flatMap { change, sign -> [String] in
                guard let change, abs(change.change) >= 0.05, change.change.sign == sign else { return [".", ""] }
                return [String(format: "%+.1f", change.change), change.measure]
            }
            table.add([part.name] + cells)
        }
        return [table]
    }
}
