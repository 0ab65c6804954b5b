import Foundation
import Recordings

/// Measures arrival times on recordings, for `sightline evaluate eta`.
package struct ArrivalEvaluation {
    /// The half whose trips are reported; learning uses all earlier trips.
    package var half = EvaluationHalf.all

    /// A log with its timetable.
    package struct Recording: Sendable {
        package var name: String
        package var log: VehicleLog
        /// `nil` if no feed has a trip of the log.
        package var feed: GTFSFeed?
        /// Assumptions and missing trips, one sentence each.
        package var notes: [String] = []

        /// Reads a log, and the data of its trips from the first feed that has any of them.
        /// - Throws: ``InputError``.
        package static func read(path: String, feeds: [String] = []) throws -> Recording {
            let log = try VehicleLog.read(path: path)
            let file = URL(fileURLWithPath: path).lastPathComponent
            var recording = Recording(name: file.replacing(".gz", with: "").replacing(".csv", with: ""), log: log)
            let tripIDs = log.tripIDs
            guard !tripIDs.isEmpty else { return recording }
            for path in feeds {
                let feed = try GTFSFeed.read(path: path, tripIDs: tripIDs)
                guard !feed.trips.isEmpty else {
                    recording.notes.append(
                        "\(path): trips.txt has none of the \(tripIDs.count) trip ids of the recording, such as "
                            + "\(tripIDs.min() ?? ""); they are evaluated without a timetable.")
                    continue
                }
                recording.feed = feed
                recording.notes =
                    feed.notes
                    + recording.invalidDates.map {
                        "\(file): start_date \($0) is not a date (YYYYMMDD); using the nearest day."
                    }
                break
            }
            return recording
        }

        /// Service dates in the log that are not valid.
        private var invalidDates: [String] {
            guard let feed else { return [] }
            let dates = log.vehicles.reduce(into: Set<String>()) { dates, vehicle in
                for label in vehicle.labels { if let date = label.startDate { dates.insert(date) } }
            }
            return dates.filter { feed.dayStart($0) == nil }.sorted()
        }
    }

    /// Replays each recording separately.
    package func report(on recordings: [Recording]) -> ArrivalReport {
        ArrivalReport(half: half, recordings: recordings.map(summary))
    }

    private func summary(_ recording: Recording) -> ArrivalSummary {
        let (trips, speeds) = Self.trips(of: recording)
        guard trips.contains(where: { half.includes($0.driven.half) }) else {
            return ArrivalSummary(name: recording.name, series: [], gating: .init())
        }
        let journeys = ArrivalReplay(speeds: speeds).run(recording.log, trips: trips)
            .filter { $0.series.first.map { half.includes($0.half) } ?? false }
        return ArrivalSummary(
            name: recording.name, series: journeys.flatMap(\.series),
            gating: journeys.reduce(into: GatingFigures()) { $0.add($1.gating) })
    }

    private static func trips(of recording: Recording) -> ([RecordedTrip], SpeedBook) {
        if let feed = recording.feed {
            let trips = ScheduledTrips(feed: feed).trips(of: recording.log)
            return (trips, SpeedBook(entries: trips.map(\.driven)))
        }
        let drives = DrivenTrips(of: recording.log)
        let speeds = SpeedBook(entries: drives.drives.map(\.driven))
        return (drives.trips(planner: speeds), speeds)
    }
}
