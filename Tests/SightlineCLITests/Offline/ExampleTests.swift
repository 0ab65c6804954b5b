import Foundation
import TestSupport
import Testing

@testable import Domain
@testable import SightlineCLI
@testable import Support

@Suite("The bundled examples", .blocking)
struct ExampleTests {
    private static let examples = Checkout.root.appendingPathComponent("Examples")

    private func path(_ name: String) -> String { Self.examples.appendingPathComponent(name).path }

    private func pipeline(hasTrips: Bool) -> OfflinePipeline {
        OfflinePipeline(
            tracking: TrackingSettings(), arrival: ArrivalSettings(), broadcast: BroadcastSettings(), hasTrips: hasTrips
        )
    }

    @Test("the ride has smoothed positions, compared arrival times and no dead letters")
    func ride() throws {
        let pipeline = pipeline(hasTrips: true)
        let outputs: OfflineOutputs = [:]
        var timeline = try TripTimeline(path: path("ride-trips.jsonl"))
        let tally = try RecordedFile(path: path("ride.csv")).forEach { record in
            while let trip = timeline.next(upTo: record.at) { try pipeline.processTrip(trip, into: outputs) }
            try pipeline.process(record, into: outputs)
        }
        while let trip = timeline.next(upTo: nil) { try pipeline.processTrip(trip, into: outputs) }
        #expect(tally.leftOut == 0 && tally.read > 300)
        let smoothing = try #require(pipeline.figures.first { $0.hasPrefix("Smoothing: RMSE ") })
        let numbers = smoothing.split { !"0123456789.".contains($0) }.compactMap { Double($0) }
        #expect(numbers[1] < 0.9 * numbers[0], "\(smoothing)")
        let arrivals = try #require(pipeline.figures.first { $0.hasPrefix("Arrival times: ") })
        #expect(
            arrivals.contains("predictions, mean absolute error") && arrivals.contains("within the predicted interval"),
            "\(arrivals)")
        #expect(!pipeline.summary.contains(" 0 arrival times") && pipeline.summary.contains(" 0 dead letters"))
    }

    @Test("the two files of the ride have less than 300 kB together")
    func size() throws {
        let sizes = try ["ride.csv", "ride-trips.jsonl"].map {
            try Data(contentsOf: Self.examples.appending(path: $0)).count
        }
        #expect(sizes.reduce(0, +) < 300_000 && sizes.allSatisfy { $0 > 0 })
    }

    /// Returns the reasons in the verdicts of a file that is replayed several times, every `pause` seconds.
    private func reasons(_ name: String, times: Int, pause: Double, keeping kept: ReplayPlan.Kept) throws -> Set<String>
    {
        let file = RecordedFile(path: path(name))
        let folder = FileManager.default.temporaryDirectory.appending(path: "resent-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let verdicts = folder.appending(path: "verdicts.ndjson").path
        let outputs: OfflineOutputs = [.verdicts: try TextOutput(path: verdicts)]
        let pipeline = pipeline(hasTrips: false)
        let survey = try file.survey()
        for number in 0..<times {
            // A new plan, as if the command were run again.
            var plan = ReplayPlan(survey: survey, speed: .unlimited, keeping: kept)
            plan.begin(at: Timestamp(milliseconds: 1_780_000_000_123).advanced(bySeconds: Double(number) * pause))
            try file.forEach(plan.change) { try pipeline.process($0, into: outputs) }
        }
        try outputs[.verdicts]?.flush()
        let lines = try String(contentsOfFile: verdicts, encoding: .utf8).split(separator: "\n")
        return try lines.reduce(into: []) { reasons, line in
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            reasons.formUnion(object["reasons"] as? [String] ?? [])
        }
    }

    @Test(
        "a file that is replayed again after its duration gets no spoofing code",
        arguments: [("commute.csv", 230.0), ("commute.csv", 3600), ("ride.csv", 1190), ("ride.csv", 3600)])
    func resent(name: String, pause: Double) throws {
        let reasons = try reasons(name, times: 3, pause: pause, keeping: ReplayPlan.Kept())
        let suspicious = reasons.intersection(["SUSPECT", "FLAGGED", "REPLAYED_TRACK", "SEQUENCE_REPLAY"])
        #expect(suspicious.isEmpty, "\(reasons.sorted())")
    }

    @Test("a file that is replayed again with kept sessions and positions is detected")
    func kept() throws {
        let kept = try KeptOptions.parse(["--keep-session", "--keep-positions"]).kept
        let reasons = try reasons("commute.csv", times: 3, pause: 300, keeping: kept)
        #expect(reasons.contains("REPLAYED_TRACK") || reasons.contains("SUSPECT"), "\(reasons.sorted())")
    }
}
