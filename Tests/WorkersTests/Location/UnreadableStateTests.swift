import Processors
import Domain
import Processing
import Testing

@Suite("Unreadable states")
struct UnreadableStateTests {
    private enum Kind: CaseIterable { case location, eta, broadcast }

    private static let traffic = SimulatedTraffic(drivers: 8, seconds: 120, seed: 51)

    /// Returns the changelog of a processor.
    private static func changelog(_ kind: Kind) -> RecordedTopic {
        switch kind {
        case .location: return LocationPartition().run(traffic.raw)[0]
        case .eta: return EtaPartition(raw: traffic.raw, trips: traffic.trips).run().changelog
        case .broadcast:
            let etas = EtaPartition(raw: traffic.raw, trips: traffic.trips).run().changelog
            return BroadcastPartition(etas: etas).resume(from: RecordedTopic())
        }
    }

    private static func runner(_ kind: Kind) -> InMemoryRunner {
        let memory = EtaPartition.memorySeconds
        switch kind {
        case .location:
            let settings = TrackingSettings()
            return InMemoryRunner(
                layout: LocationProcessor.layout(settings: settings),
                processor: LocationProcessor(partition: 0, settings: settings))
        case .eta:
            return InMemoryRunner(
                layout: EtaProcessor.layout(memorySeconds: memory),
                processor: EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: memory))
        case .broadcast:
            return InMemoryRunner(
                layout: BroadcastProcessor.layout(memorySeconds: memory),
                processor: BroadcastProcessor(partition: 0, settings: BroadcastSettings(), memorySeconds: memory))
        }
    }

    /// Returns the version mismatch that a restore reports after `change` of the last state, or `nil`.
    private static func versionMismatch(_ kind: Kind, _ change: (inout RecordedTopic.Record) -> Void) -> String? {
        var changelog = changelog(kind)
        guard let last = changelog.records.lastIndex(where: { !$0.state.isEmpty }) else { return "no state" }
        change(&changelog.records[last])
        var runner = runner(kind)
        for offset in changelog.records.indices {
            changelog.with(offset, input: 0) { record, header in runner.restore(record, watermarkHeader: header) }
        }
        runner.finishRestore()
        return runner.versionMismatch?.description
    }

    @Test("states of this release cause no version mismatch", arguments: [0, 1, 2])
    func own(number: Int) { #expect(Self.versionMismatch(Kind.allCases[number]) { _ in } == nil) }

    @Test(
        "the version mismatch of a newer state states the versions and the remedy",
        arguments: [0, 1, 2])
    func newer(number: Int) throws {
        let kind = Kind.allCases[number]
        let versionMismatch = try #require(Self.versionMismatch(kind) { $0.state[0] = 77 })
        #expect(
            versionMismatch.contains("has version 77, written by a newer release; this release reads versions up to"))
        #expect(versionMismatch.contains("Run that release or a newer one"))
        #expect(versionMismatch.contains("sightline topics recreate"))
    }

    @Test("a header of this release with a newer driver state is a version mismatch")
    func newerInside() throws {
        let next = DriverState.versions.current + 1
        let versionMismatch = try #require(
            Self.versionMismatch(.location) {
                $0.state = [0, next] + $0.state.dropFirst(2)
            })
        #expect(versionMismatch.hasPrefix("The state of a driver has version \(next), written by a newer release"))
    }

    @Test("the version mismatch of a state from before the previous release states the upgrade path")
    func older() throws {
        for kind in [Kind.eta, .broadcast] {
            let versionMismatch = try #require(Self.versionMismatch(kind) { $0.state[0] = 0 })
            #expect(versionMismatch.contains("has version 0, written before the previous release"))
            #expect(versionMismatch.contains("Run the releases in between first"))
        }
    }

    @Test("a watermark of a newer release is a version mismatch", arguments: [0, 1, 2])
    func newerWatermark(number: Int) throws {
        let versionMismatch = try #require(
            Self.versionMismatch(Kind.allCases[number]) {
                $0.watermarkHeader[0] = 2
                $0.event = nil
            })
        #expect(versionMismatch.hasPrefix("The state of a record's watermark has version 2"))
    }

    @Test("a damaged state is no version mismatch", arguments: [0, 1, 2])
    func damaged(number: Int) {
        #expect(Self.versionMismatch(Kind.allCases[number]) { $0.state.removeLast($0.state.count / 2) } == nil)
    }

    @Test("damaged states are skipped and counted")
    func damagedCount() {
        let settings = TrackingSettings()
        let processor = LocationProcessor(partition: 0, settings: settings)
        let runner = InMemoryRunner(layout: LocationProcessor.layout(settings: settings), processor: processor)
        var changelog = Self.changelog(.location)
        for offset in changelog.records.indices where offset % 10 == 0 { changelog.records[offset].state.removeLast() }
        for offset in changelog.records.indices {
            changelog.with(offset, input: 0) { record, header in runner.restore(record, watermarkHeader: header) }
        }
        #expect(processor.unreadable.damaged == (changelog.records.count + 9) / 10)
        #expect(runner.versionMismatch == nil)
    }
}
