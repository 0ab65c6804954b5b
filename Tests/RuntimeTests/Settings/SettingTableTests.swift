import TestSupport
import Testing

@testable import Runtime

@Suite("Setting table")
struct SettingTableTests {
    @Test("keys are unique upper-case names, and each help text is one sentence")
    func declarations() {
        let all = SettingTable.all
        #expect(Set(all.map(\.key)).count == all.count)
        for setting in all {
            #expect(setting.key.utf8.allSatisfy { (65...90).contains($0) || (48...57).contains($0) || $0 == 95 })
            #expect(setting.help.hasSuffix(".") && !setting.help.dropLast().contains(". "), "\(setting.key)")
            #expect(!setting.programs.isEmpty, "\(setting.key)")
        }
    }

    @Test("the key of a time, length or number of records ends with its unit", arguments: SettingTable.all)
    func units(setting: SettingDefinition) {
        let suffixes = ["ms": "_MS", "s": "_SECONDS", "m": "_METERS", "days": "_DAYS", "records": "_RECORDS"]
        switch setting.kind {
        case .integer(_, let unit), .decimal(_, let unit):
            if let suffix = suffixes[unit] { #expect(setting.key.hasSuffix(suffix)) }
        case .flag, .choice, .text: break
        }
    }

    @Test("an empty environment is valid for every program", arguments: Program.allCases)
    func defaults(program: Program) throws {
        let settings = try Settings(for: program, environment: [:])
        #expect(settings.effective.allSatisfy { $0.origin == .defaultValue })
        let expected = SettingTable.all.filter { $0.programs.contains(program) }.map(\.key)
        #expect(Set(settings.effective.map(\.key)) == Set(expected))
    }

    @Test("up to 25 settings change the domain's thresholds")
    func domainKeys() {
        let stores = SettingTable.redis + SettingTable.postgres
        let operational =
            SettingTable.kafka + stores + SettingTable.operation + SettingTable.gateway
            + SettingTable.push
        // SIGHTLINE_LEARNED_ROAD_SPEEDS does not count, because it only bounds memory.
        #expect(SettingTable.all.count - operational.count - SettingTable.worker.count <= 25 + 1)
    }

    @Test("docs/configuration.md matches the table")
    func documentation() throws {
        let section = GeneratedSection(file: "docs/configuration.md", name: "configuration")
        try section.writeIfRequested(SettingTable.markdown)
        #expect(try section.read() == SettingTable.markdown, GeneratedSection.advice)
    }
}
