import Foundation
import Testing

@testable import Domain
@testable import Evaluation
@testable import Recordings
@testable import SightlineCLI

@Suite("Smoothing report")
struct SmoothingReportTests {
    private func trace(noise: SimulatedReceiver.Noise, seed: UInt64) -> RecordedTrace {
        var receiver = SimulatedReceiver()
        receiver.noise = noise
        return receiver.trace(of: SimulatedDrive(seed: seed, seconds: 300), seed: seed)
    }

    @Test("unknown figures are absent from the JSON, not null or zero")
    func json() throws {
        var evaluation = SmoothingEvaluation(withBaselines: true)
        var unknown = trace(noise: .white, seed: 204)
        unknown.truth = unknown.truth.map { _ in nil }
        evaluation.add(recording: "a", [unknown])
        let text = try #require(String(data: evaluation.report.json(), encoding: .utf8))
        #expect(text.contains("\"fixes_with_truth\" : 0"))
        #expect(!text.contains("\"rmse_meters\"") && !text.contains("null"))
    }

    @Test("the tables of errors and of simple filters show only recordings with a reference")
    func tables() {
        var evaluation = SmoothingEvaluation(withBaselines: true)
        evaluation.add(recording: "known", [trace(noise: .white, seed: 208), trace(noise: .white, seed: 209)])
        var unknown = trace(noise: .white, seed: 203)
        unknown.truth = unknown.truth.map { _ in nil }
        evaluation.add(recording: "without truth", [unknown])
        for title in ["Errors against the reference", "RMSE of simple filters"] {
            let table = evaluation.report.tables.first { $0.title.hasPrefix(title) }
            #expect(table?.rows.map { $0[0] } == ["known"], "\(title)")
            #expect(table?.rows.allSatisfy { !$0.contains("–") } == true, "\(title)")
        }
        #expect(!evaluation.report.tables.contains { $0.title == "Simulated drives" })
    }

    @Test("the same seed gives the same fixes, and another seed gives different fixes")
    func seeds() {
        for noise in SimulatedReceiver.Noise.allCases {
            let (first, again) = (trace(noise: noise, seed: 206), trace(noise: noise, seed: 206))
            #expect(first.fixes.map(\.coordinate) == again.fixes.map(\.coordinate))
            #expect(first.fixes.map(\.coordinate) != trace(noise: noise, seed: 207).fixes.map(\.coordinate))
        }
    }

    @Test("simulated errors are 4.4 to 5.6 m per axis", arguments: [SimulatedReceiver.Noise.white, .correlated])
    func size(noise: SimulatedReceiver.Noise) throws {
        var score = SmoothingScore()
        for seed in UInt64(210)...229 { score.merge(SmoothingScore(trace(noise: noise, seed: seed))) }
        let perAxis = try #require(score.raw.errors.rootMeanSquare) / 2.0.squareRoot()
        #expect((4.4...5.6).contains(perAxis), "\(perAxis), seeds 210 to 229")
    }

    @Test("the distance from a road is the distance from its nearest segment")
    func roads() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("roads-\(UUID()).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = "trace_id,wkt\na,\"MULTILINESTRING ((11.0 48.0,11.01 48.0),(11.01 48.0, 11.01 48.01))\"\n"
        try text.write(to: file, atomically: true, encoding: .utf8)
        let roads = try RoadLines(path: file.path)
        let near = Coordinate(latitude: 48.0001, longitude: 11.005)
        #expect(abs(try #require(roads.distanceMeters(of: near, trace: "a")) - 11.12) < 0.01)
        let beyond = Coordinate(latitude: 48.0102, longitude: 11.01)
        #expect(abs(try #require(roads.distanceMeters(of: beyond, trace: "a")) - 22.24) < 0.01)
        #expect(roads.distanceMeters(of: near, trace: "b") == nil)
    }

    @Test("reading a file without roads throws an error", arguments: ["", "id,wkt\n", "trace_id,wkt\na,POINT (1 2)\n"])
    func invalidRoads(text: String) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("roads-\(UUID()).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        try text.write(to: file, atomically: true, encoding: .utf8)
        #expect(throws: InputError.self) { try RoadLines(path: file.path) }
    }
}
