import TestSupport
import Testing

@testable import Domain
@testable import SightlineCLI

@Suite("Rights of each program in Kafka")
struct ProgramRightsTests {
    private func rights(_ program: String) throws -> ProgramRights {
        try #require(ProgramRights.all.first { $0.program == "`\(program)`" })
    }

    @Test("docs/security.md contains the table of rights")
    func documentation() throws {
        let section = GeneratedSection(file: "docs/security.md", name: "rights")
        try section.writeIfRequested(ProgramRights.markdown)
        #expect(try section.read() == ProgramRights.markdown, GeneratedSection.advice)
    }

    @Test("location-worker, eta-worker and broadcast-worker may read each of their outputs")
    func restores() throws {
        for program in ["location-worker", "eta-worker", "broadcast-worker"] {
            let rights = try rights(program)
            #expect(!rights.writes.isEmpty)
            #expect(Set(rights.reads).isSuperset(of: rights.writes), "\(program)")
        }
        #expect(try rights("location-worker").reads.contains(.locationsDeadLetter))
        #expect(try rights("location-worker").reads.contains(.warnings))
        #expect(try rights("eta-worker").reads.contains(.tripsDeadLetter))
        #expect(try rights("eta-worker").reads.contains(.tripWarnings))
    }

    @Test("rider-gateway reads only rider updates, joins no group and writes nothing")
    func gateway() throws {
        let rights = try rights("rider-gateway")
        #expect(rights.reads == [.riderUpdates] && rights.describes == ["rider-gateway-reader"])
        #expect(rights.writes.isEmpty && rights.creates.isEmpty && rights.joins.isEmpty)
    }

    @Test("driver-gateway writes locations and trips, reads warnings and trips, and joins no group")
    func driverGateway() throws {
        let rights = try rights("driver-gateway")
        #expect(rights.writes == [.rawLocations, .trips])
        #expect(rights.reads == [.warnings, .trips] && rights.describes == ["driver-gateway-reader"])
        #expect(rights.creates.isEmpty && rights.joins.isEmpty)
    }

    @Test("an audit reads all topics that it compares, describes the processors' groups, and writes nothing")
    func audit() throws {
        let rights = try rights("sightline audit")
        let unread: Set<PipelineTopic> = [.roadSpeeds, .tripsDeadLetter, .tripWarnings]
        #expect(Set(rights.reads) == Set(PipelineTopic.allCases).subtracting(unread))
        #expect(
            rights.describes == ["sightline.location", "sightline.eta", "sightline.broadcast", "sightline-reader"])
        #expect(rights.writes.isEmpty && rights.creates.isEmpty && rights.joins.isEmpty)
    }

    @Test("a demo reads the same topics as an audit, and writes raw locations and trips")
    func demo() throws {
        let (demo, audit) = (try rights("sightline demo"), try rights("sightline audit"))
        #expect(demo.reads == audit.reads && demo.describes == audit.describes)
        #expect(Set(demo.reads).isSuperset(of: DemoReader.topics))
        #expect(demo.writes == [.rawLocations, .trips])
    }

    @Test("workers write every topic except the inputs of the pipeline")
    func topics() {
        let written = Set(ProgramRights.all.filter { $0.program.contains("worker") }.flatMap(\.writes))
        #expect(written == Set(PipelineTopic.allCases).subtracting([.rawLocations, .trips]))
    }
}
