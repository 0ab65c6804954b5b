import ArrivalTimes
import BroadcastWorker
import EtaWorker
import LocationWorker
import Processing
import RiderUpdates
import SpoofDetection
import Testing

@Suite("States that a stage cannot read")
struct UnreadableStateTests {
    private enum Kind: CaseIterable { case location, eta, broadcast }

    private static let traffic = SimulatedTraffic(drivers: 8, seconds: 120, seed: 51)

    /// A changelog of each stage, and a stage of its kind that is to be restored.
    private static func changelog(_ kind: Kind) -> RecordedTopic {
        switch kind {
        case .location: return LocationPartition().run(traffic.raw)[0]
        case .eta: return EtaPartition(raw: traffic.raw, trips: traffic.trips).run().changelog
        case .broadcast:
            let etas = EtaPartition(raw: traffic.raw, trips: traffic.trips).run().changelog
            return BroadcastPartition(etas: etas).goOn(from: RecordedTopic())
        }
    }

    private static func runner(_ kind: Kind) -> InMemoryRunner {
        let memory = EtaPartition.memorySeconds
        switch kind {
        case .location:
            let settings = TrackingSettings()
            return InMemoryRunner(
                layout: LocationProcessor.layout(settings: settings),
                stage: LocationProcessor(partition: 0, settings: settings))
        case .eta:
            return InMemoryRunner(
                layout: EtaProcessor.layout(memorySeconds: memory),
                stage: EtaProcessor(partition: 0, arrival: ArrivalSettings(), memorySeconds: memory))
        case .broadcast:
            return InMemoryRunner(
                layout: BroadcastProcessor.layout(memorySeconds: memory),
                stage: BroadcastProcessor(partition: 0, settings: BroadcastSettings(), memorySeconds: memory))
        }
    }

    /// Why the changelog is refused when `change` has changed its last state.
    private static func refusal(_ kind: Kind, _ change: (inout RecordedTopic.Record) -> Void) -> String? {
        var changelog = changelog(kind)
        guard let last = changelog.records.lastIndex(where: { !$0.state.isEmpty }) else { return "no state" }
        change(&changelog.records[last])
        var runner = runner(kind)
        for offset in changelog.records.indices {
            changelog.with(offset, input: 0) { record, header in runner.restore(record, clockHeader: header) }
        }
        runner.finishRestore()
        return runner.refusal?.description
    }

    @Test("what this release has written is never refused", arguments: [0, 1, 2])
    func own(number: Int) { #expect(Self.refusal(Kind.allCases[number]) { _ in } == nil) }

    @Test(
        "a state of a newer release is refused with a sentence that names the versions and the fix",
        arguments: [0, 1, 2])
    func newer(number: Int) throws {
        let kind = Kind.allCases[number]
        let refusal = try #require(Self.refusal(kind) { $0.state[0] = 77 })
        #expect(refusal.contains("has version 77, and this release reads none after"))
        #expect(refusal.contains("Run that release or a newer one"))
        #expect(refusal.contains("SIGHTLINE_WRITE_PREVIOUS_STATES=true"))
    }

    @Test("so is one whose header is of this release and whose driver's state is not")
    func newerInside() throws {
        let next = DriverState.versions.current + 1
        let refusal = try #require(
            Self.refusal(.location) {
                $0.state = [0, next] + $0.state.dropFirst(2)
            })
        #expect(refusal.hasPrefix("The state of a driver has version \(next), and this release reads none after"))
    }

    @Test("a state of a release before the last one is refused, with the way to upgrade")
    func older() throws {
        for kind in [Kind.eta, .broadcast] {
            let refusal = try #require(Self.refusal(kind) { $0.state[0] = 0 })
            #expect(refusal.contains("has version 0, and this release reads none before"))
            #expect(refusal.contains("Run the releases in between first"))
        }
    }

    @Test("a clock of a newer release is refused as well", arguments: [0, 1, 2])
    func newerClock(number: Int) throws {
        let refusal = try #require(
            Self.refusal(Kind.allCases[number]) {
                $0.clockHeader[0] = 2
                $0.clock = nil
            })
        #expect(refusal.hasPrefix("The state of a record's clock has version 2"))
    }

    @Test("a damaged state is skipped and counted, and refuses nothing", arguments: [0, 1, 2])
    func damaged(number: Int) throws {
        let kind = Kind.allCases[number]
        #expect(Self.refusal(kind) { $0.state.removeLast($0.state.count / 2) } == nil)
        let settings = TrackingSettings()
        let stage = LocationProcessor(partition: 0, settings: settings)
        let runner = InMemoryRunner(layout: LocationProcessor.layout(settings: settings), stage: stage)
        var changelog = Self.changelog(.location)
        for offset in changelog.records.indices where offset % 10 == 0 { changelog.records[offset].state.removeLast() }
        for offset in changelog.records.indices {
            changelog.with(offset, input: 0) { record, header in runner.restore(record, clockHeader: header) }
        }
        #expect(stage.unreadable.damaged == (changelog.records.count + 9) / 10)
        #expect(runner.refusal == nil)
    }
}
