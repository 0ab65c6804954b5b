import TestSupport
import Testing

@testable import Evaluation
@testable import Recordings

/// Spoof detection in a part of the recordings, without a full track memory.
@Suite(.nightly, .enabled(if: RecordingFolder.url != nil, RecordingFolder.absence))
struct RecordedSpoofingTests {
    /// Recordings with and without accuracy, speed and altitude, at intervals of 1 and 5 s.
    private static let slice = ["truth/urban_canyon_hongkong", "traces/envirocar_de", "traces/ndsbr_curitiba"]

    private static let report: SpoofingReport? = {
        let recordings = slice.compactMap { name -> NamedRecording? in
            guard let path = RecordingFolder.path(name), let traces = try? RecordedTrace.read(path: path).traces else {
                return nil
            }
            return NamedRecording(name: name, traces: traces.map { ReceivedTrace($0, origin: name) })
        }
        var options = SpoofingOptions()
        options.attacks = 20
        // Filling the memory would last many minutes in a debug build; see `TrackMemoryTests`.
        options.fillsMemory = false
        return SpoofingEvaluation.report(on: recordings, options)
    }()

    @Test("honest drivers are neither suspect nor flagged, and lose at most 0.5 % of their fixes")
    func honest() throws {
        let report = try #require(Self.report)
        #expect(report.honest.map(\.name) == Self.slice)
        for recording in report.honest {
            #expect(recording.rejectedShare <= 0.005, "\(recording.name)")
            #expect(recording.suspectTraces == 0 && recording.flaggedTraces == 0, "\(recording.name)")
        }
    }

    @Test("every recording of the slice is a host, and 20 attacks of each kind but wrong_rhythm are made")
    func hosts() throws {
        let report = try #require(Self.report)
        #expect(Set(report.hosts.keys) == Set(Self.slice))
        for kind in report.kinds where kind.kind != AttackKind.wrongRhythm.rawValue { #expect(kind.attacks == 20) }
    }

    @Test("at least 95 % of mock flags and impossible motion are detected in recordings")
    func certain() throws {
        let report = try #require(Self.report)
        for kind in [AttackKind.mockFlag, .impossibleSpeed, .teleportAndStay] {
            let row = try #require(report.kinds.first { $0.kind == kind.rawValue })
            #expect(row.detectionRate >= 0.95, "\(kind)")
        }
    }

    @Test("90 % of attacks at another position, on a simulated route or on a repeated track are detected on average")
    func elsewhere() throws {
        let report = try #require(Self.report)
        let kinds: [AttackKind] = [.staticPoint, .routeSimulator, .parallelOffset, .pickupOnly, .replayOwnTrack]
        let rows = report.kinds.filter { row in kinds.contains { $0.rawValue == row.kind } }
        #expect(rows.count == kinds.count)
        #expect(rows.reduce(0) { $0 + $1.detectionRate } / Double(rows.count) >= 0.9)
    }

    @Test("every recorded attack is detected, and no honest fix is rejected")
    func rover() throws {
        let path = try #require(RecordingFolder.path("traces/spoof_rover"))
        let traces = try RecordedTrace.read(path: path).traces.map { ReceivedTrace($0, origin: "spoof_rover") }
        var options = SpoofingOptions()
        options.attacks = 0
        let report = SpoofingEvaluation.report(on: [NamedRecording(name: "spoof_rover", traces: traces)], options)
        let attacks = try #require(report.recordedAttacks.first)
        #expect(attacks.detected == attacks.attacks && attacks.flagged > 0)
        #expect(attacks.rejectedHonestFixes == 0)
    }
}
