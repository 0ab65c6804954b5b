import Testing

@testable import Domain
@testable import Evaluation

struct AblationTests {
    @Test("every part is left out by settings that differ and can be used", arguments: DetectorPart.all.map(\.name))
    func usable(name: String) throws {
        let part = try #require(DetectorPart.all.first { $0.name == name })
        var settings = TrackingSettings()
        part.leaveOut(&settings)
        #expect(settings != TrackingSettings())
        #expect(settings.problems().isEmpty)
    }

    @Test("no two parts have one name")
    func names() { #expect(Set(DetectorPart.all.map(\.name)).count == DetectorPart.all.count) }

    @Test("without the rule that finds them attacks go undetected, and without one that is silent all is as before")
    func rows() throws {
        var options = SpoofingOptions()
        options.simulatedHours = 3
        options.attacks = 4
        options.kinds = [.impossibleSpeed, .teleportAndStay]
        let parts = DetectorPart.all.filter { ["jump (reach)", "deviceIntegrity.weight"].contains($0.name) }
        let report = AblationEvaluation.report(on: [], options, parts: parts)
        let rows = Dictionary(uniqueKeysWithValues: report.parts.map { ($0.name, $0) })
        #expect(try #require(rows["jump (reach)"]).attackPoints < -20)
        let silent = try #require(rows["deviceIntegrity.weight"])
        #expect(silent.attackPoints == 0 && silent.areaPoints == 0 && silent.attackKind.isEmpty)
        #expect(report.tables[0].rows.count == 2)
    }
}
