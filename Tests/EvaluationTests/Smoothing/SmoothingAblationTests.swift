import Testing

@testable import Domain
@testable import Evaluation

@Suite("The ablation of the smoothing")
struct SmoothingAblationTests {
    @Test("every part changes the settings, leaves them valid, and has a name of its own")
    func parts() {
        for part in SmoothingPart.all {
            var settings = TrackingSettings().smoothing
            part.leaveOut(&settings)
            #expect(settings != TrackingSettings().smoothing, "\(part.name)")
            #expect(settings.problems().isEmpty, "\(part.name): \(settings.problems())")
        }
        #expect(Set(SmoothingPart.all.map(\.name)).count == SmoothingPart.all.count)
    }

    @Test("without the halts a parked vehicle wanders, and a part without effect changes nothing")
    func report() throws {
        let nothing = SmoothingPart("nothing") { _ in }
        let halts = try #require(SmoothingPart.all.first { $0.name.hasPrefix("haltWithoutSpeedFixes=200") })
        let report = SmoothingAblation(on: [], parts: [nothing, halts], seeds: 241...241)
        #expect(report.parts[0].changes.allSatisfy { $0.change == 0 })
        let parked = try #require(report.parts[1].changes.first { $0.measure == "parked path" })
        #expect(parked.change > 100)
        #expect(report.tables[0].rows.map { $0[0] } == ["nothing", halts.name])
        #expect(report.tables[0].rows[0].dropFirst().allSatisfy { $0 == "." || $0.isEmpty })
    }
}
