import Domain
import Foundation
import Recordings
import Runtime

/// Measures arrival times on recordings, for `sightline evaluate eta`.
package struct ArrivalEvaluation {
    /// Half whose trips are reported; learning uses all earlier trips.
    package var half = EvaluationHalf.all
    /// Whether each line of a timetable is also reported separately.
    package var splitsLines = true
    package var arrival = ArrivalSettings()
    package var tracking = TrackingSettings()
    package var broadcast = BroadcastSettings()

    package init() {}

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
            let wanted = log.tripIDs
            guard !wanted.isEmpty else { return recording }
            for path in feeds {
                let feed = try GTFSFeed.read(path: path, tripIDs: wanted)
                guard !feed.trips.isEmpty else {
                    recording.notes.append(
                        "\(path): trips.txt has none of the \(wanted.count) trip ids of the recording, such as "
                            + "\(wanted.min() ?? ""); they are evaluated without a timetable.")
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
            let dates = log.vehicles.reduce(into: Set<String>()) { found, vehicle in
                for label in vehicle.labels { if let date = label.startDate { found.insert(date) } }
            }
            return dates.filter { feed.dayStart($0) == nil }.sorted()
        }
    }

    /// Replays each recording separately.
    package func report(on recordings: [Recording]) -> ArrivalReport {
        var summaries: [ArrivalSummary] = []
        for recording in recordings {
            let (trips, speeds) = Self.trips(of: recording)
            summaries += summarize(recording, trips, speeds)
        }
        return ArrivalReport(half: half, recordings: summaries)
    }

    private static func trips(of recording: Recording) -> ([RecordedTrip], SpeedBook) {
        if let feed = recording.feed {
            let trips = ScheduledTrips(feed: feed).trips(of: recording.log)
            return (trips, SpeedBook(entries: trips.map(SpeedBook.Entry.init)))
        }
        let drives = DrivenTrips(of: recording.log)
        let speeds = SpeedBook(entries: drives.driven)
        return (drives.trips(planner: speeds), speeds)
    }

    /// Summarizes the recording, and each of its lines if a timetable names 2 to 6.
    private func summarize(
        _ recording: Recording, _ trips: [RecordedTrip], _ speeds: SpeedBook
    ) -> [ArrivalSummary] {
        let measured = trips.filter { half.includes($0.half) }
        guard !measured.isEmpty else {
            return [ArrivalSummary(name: recording.name, half: half, series: [], unlearned: [], gating: .init())]
        }
        var settings = ArrivalReplay.Settings()
        (settings.arrival, settings.tracking, settings.broadcast) = (arrival, tracking, broadcast)
        func replay(isLearning: Bool = true, keepsRoadSpeeds: Bool = true) -> ArrivalReplay.Outcome {
            (settings.isLearning, settings.keepsRoadSpeeds) = (isLearning, keepsRoadSpeeds)
            return ArrivalReplay(settings: settings, speeds: speeds).run(recording.log, trips: trips)
        }
        let (learned, plain) = (replay(), replay(isLearning: false))
        var summaries = [summary(recording.name, learned, plain) { half.includes($0.half) }]
        if ServiceDay(of: recording.log).count(of: trips) > 1 {
            summaries[0].cold = ArrivalSummary.Method(
                "sightline, road speeds of the day only",
                replay(keepsRoadSpeeds: false).series.filter { half.includes($0.half) }, by: .ours,
                ours: summaries[0].methods.first?.errors)
        }
        let lines = Set(trips.compactMap(\.routeID)).sorted()
        guard splitsLines, recording.feed != nil, (2...6).contains(lines.count) else { return summaries }
        for line in lines {
            var own = summary("\(recording.name) \(line)", learned, plain) {
                half.includes($0.half) && $0.routeID == line
            }
            own.isLine = true
            summaries.append(own)
        }
        return summaries
    }

    private func summary(
        _ name: String, _ learned: ArrivalReplay.Outcome, _ plain: ArrivalReplay.Outcome,
        where isIncluded: (ArrivalSeries) -> Bool
    ) -> ArrivalSummary {
        ArrivalSummary(
            name: name, half: half, series: learned.series.filter(isIncluded),
            unlearned: plain.series.filter(isIncluded),
            gating: learned.gating(where: isIncluded))
    }
}

extension SpeedBook.Entry {
    init(_ trip: RecordedTrip) {
        self.init(routeID: trip.routeID, half: trip.half, meters: trip.drivenMeters, seconds: trip.drivenSeconds)
    }
}
