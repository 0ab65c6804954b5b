import Foundation
import TestSupport
import Testing

@testable import Evaluation
@testable import Recordings
@testable import Simulation
@testable import Support

/// Targets for arrival times on recorded runs.
@Suite(.nightly, .enabled(if: RecordingFolder.url != nil, RecordingFolder.absence))
struct RecordedArrivalTests {
    private static func transit(_ name: String) throws -> String {
        try #require(RecordingFolder.url).appending(path: "transit/\(name)").path(percentEncoded: false)
    }

    private static func scheduled() throws -> ArrivalEvaluation.Recording {
        try ArrivalEvaluation.Recording.read(
            path: transit("wmata_c53_d40_vehicle_positions.csv.gz"), feeds: [transit("wmata_c53_d40_gtfs.zip")])
    }

    @Test("Derived passages agree with another source's passages of the same log")
    func passages() throws {
        let recording = try Self.scheduled()
        let trips = ScheduledTrips(feed: try #require(recording.feed)).trips(of: recording.log)
        let observed = try Self.passages(Self.transit("wmata_c53_d40_observed_passages.csv.gz"))
        var differences: [Double] = []
        var onlyHere = 0
        for journey in trips.flatMap(\.journeys) {
            // Trip ids end in `@<start date>` and stop ids in `#<stop_sequence>`.
            let tripID = journey.message.tripID.split(separator: "@")[0]
            for target in journey.targets {
                let sequence = journey.message.stops[target.stop].id.split(separator: "#").last ?? ""
                if let observedAt = observed["\(tripID)#\(sequence)"] {
                    differences.append(abs(target.arrivedAt.seconds(since: observedAt)))
                } else {
                    onlyHere += 1
                }
            }
        }
        // Measured: 4,323 passages in both sources, and 30 and 37 in only one source.
        #expect(differences.count >= 4300 && onlyHere <= 60 && observed.count - differences.count <= 60)
        #expect(differences.sorted()[differences.count * 95 / 100] <= 1)
    }

    /// Returns the times of a CSV file by `<trip_id>#<stop_sequence>`.
    private static func passages(_ path: String) throws -> [String: Timestamp] {
        let table = try CSVTable(LineReader(path: path))
        var times: [String: Timestamp] = [:]
        while let row = try table.next() {
            guard let trip = row["trip_id"], let sequence = row["stop_sequence"],
                let milliseconds: Int64 = row.number("observed_passage_ms")
            else { continue }
            times["\(trip)#\(sequence)"] = Timestamp(milliseconds: milliseconds)
        }
        return times
    }

    @Test("Predictions of the checking half reach their targets, such as smaller errors than timetable and mean speed")
    func scheduledRuns() throws {
        var recording = try Self.scheduled()
        // Only two of the five hours are evaluated, because the whole log would last a minute in a debug build.
        recording.log.keep(seconds: 7200)
        var evaluation = ArrivalEvaluation()
        evaluation.half = .check
        let summary = try #require(evaluation.report(on: [recording]).recordings.first)
        #expect(summary.trips >= 10 && summary.arrivals >= 400)
        #expect(try #require(summary.method(.plan)?.improvement) >= 0.35)
        #expect(try #require(summary.method(.meanSpeed)?.improvement) >= 0.25)
        let gating = summary.gating
        // Measured: 2 flips in about 5,500 flag changes over all five hours.
        #expect(gating.flagFlips * 400 <= gating.flagChanges)
        #expect(try #require(summary.savedMessagesShare) >= 0.6)
        let ours = try #require(summary.methods.first { $0.method == ArrivalMethod.ours.name })
        #expect(try #require(ours.benchmark) >= 0.79)
        #expect(try #require(ours.accurateMinutesShare) >= 0.74)
        #expect(try #require(ours.catchLikelihood) >= 0.58)
        #expect(try #require(ours.wobbleMinutes) <= 0.2)
        #expect(try #require(summary.gatingPenaltySeconds) <= 10)
        for bucket in summary.buckets {
            let coverage = try #require(bucket.interval.coverage)
            #expect((0.7...0.9).contains(coverage), "\(bucket.bucket): \(coverage)")
        }
    }
}

extension VehicleLog {
    /// Removes fixes later than `seconds` after the first fix.
    fileprivate mutating func keep(seconds: Double) {
        let times = vehicles.flatMap { $0.trace.fixes.compactMap(\.deviceAt) }
        guard let end = times.min()?.advanced(bySeconds: seconds) else { return }
        for index in vehicles.indices {
            let old = vehicles[index]
            var trace = RecordedTrace(id: old.trace.id, driverID: old.trace.driverID)
            var labels: [Label] = []
            for row in old.trace.fixes.indices where old.trace.fixes[row].deviceAt.map({ $0 <= end }) ?? false {
                trace.fixes.append(old.trace.fixes[row])
                trace.truth.append(old.trace.truth[row])
                trace.isSpoofed.append(old.trace.isSpoofed[row])
                labels.append(old.labels[row])
            }
            vehicles[index] = Vehicle(trace: trace, labels: labels)
        }
    }
}
