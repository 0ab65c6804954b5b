import Foundation
import Testing

@testable import Domain
@testable import Evaluation

struct SpoofingEvaluationTests {
    private static let report: SpoofingReport = {
        var options = SpoofingOptions()
        options.simulatedHours = 12
        options.attacks = 10
        options.samplings = [4, 20]
        // Filling the memory would last minutes in a debug build; see `TrackMemoryTests`.
        options.fillsMemory = false
        return SpoofingEvaluation.report(on: [], options)
    }()

    @Test("ten attacks of every kind are made without recordings, on simulated drives")
    func kinds() {
        #expect(Self.report.kinds.map(\.kind) == AttackKind.allCases.map(\.rawValue))
        #expect(Self.report.kinds.allSatisfy { $0.attacks == 10 })
    }

    @Test("mock flags and impossible motion are always detected, within ten fixes in the median")
    func certain() throws {
        for kind in [AttackKind.mockFlag, .impossibleSpeed, .teleportAndStay] {
            let row = try #require(Self.report.kinds.first { $0.kind == kind.rawValue })
            #expect(row.detectionRate == 1, "\(kind)")
            #expect(try #require(row.medianDelayFixes) <= 10)
        }
    }

    /// Over 200 attacks of each kind, at least 97.5 % are detected.
    @Test("95 % of attacks at another position, at constant speed or on a repeated track are detected on average")
    func elsewhere() {
        let kinds: [AttackKind] = [
            .staticPoint, .routeSimulator, .hardCodedSpeed, .replayOwnTrack, .replayOtherTrack, .pickupOnly,
        ]
        let rows = Self.report.kinds.filter { row in kinds.contains { $0.rawValue == row.kind } }
        #expect(rows.count == kinds.count)
        #expect(rows.reduce(0) { $0 + $1.detectionRate } / Double(rows.count) >= 0.95)
    }

    /// Over 200 attacks of each kind, the median delay is 2 fixes, and the ROC areas are 0.98 and 0.94.
    @Test("crude attacks are detected within ten fixes in the median, and the risk separates forged windows")
    func delayAndOrder() throws {
        #expect(try #require(Self.report.firstGroupMedianDelayFixes) <= 10)
        #expect(try #require(Self.report.pooled.withSpeedAndHeading).area > 0.93)
        #expect(try #require(Self.report.pooled.withoutEither).area > 0.85)
    }

    @Test("stretches without an attack have a ROC area of 0.5")
    func withoutAttack() throws {
        let row = try #require(Self.report.kinds.first { $0.kind == AttackKind.noAttack.rawValue })
        #expect(abs(try #require(row.area) - 0.5) < 1e-9)
    }

    @Test("attacks are measured at each interval of fixes")
    func samplings() throws {
        #expect(Self.report.samplings.map(\.seconds) == [4, 20])
        for sampling in Self.report.samplings {
            #expect(sampling.hosts > 0)
            let row = try #require(sampling.kinds.first { $0.kind == AttackKind.mockFlag.rawValue })
            #expect(row.attacks == 10 && row.detectionRate == 1)
        }
    }

    @Test("simulated honest hours have no flags and few suspects")
    func honestHours() throws {
        let simulated = try #require(Self.report.simulated)
        #expect(simulated.traces == 12 && simulated.flaggedTraces == 0 && simulated.suspectTraces <= 1)
    }

    @Test("the same options give the same report, byte for byte, and another seed gives a different report")
    func deterministic() throws {
        var options = SpoofingOptions()
        options.simulatedHours = 3
        options.attacks = 2
        options.samplings = [4]
        options.fillsMemory = false
        let first = try SpoofingEvaluation.report(on: [], options).json()
        #expect(try SpoofingEvaluation.report(on: [], options).json() == first)
        options.seed = 2
        #expect(try SpoofingEvaluation.report(on: [], options).json() != first)
    }

    @Test("every trace is in exactly one half, and the halves are about equal")
    func halves() {
        var fitting = 0
        for number in 0..<1000 {
            let name = "trace-\(number)"
            #expect(EvaluationHalf.fit.contains(trace: name) != EvaluationHalf.check.contains(trace: name))
            #expect(EvaluationHalf.all.contains(trace: name))
            if EvaluationHalf.fit.contains(trace: name) { fitting += 1 }
        }
        #expect((400...600).contains(fitting))
    }

    @Test("every weight of the detector belongs to exactly one signal")
    func weights() {
        let signals = SpoofSignal.all.flatMap(\.weights)
        #expect(signals.count == Self.weights(in: TrackingSettings()))
        #expect(Set(signals).count == signals.count)
    }

    /// Counts the properties named `weight` or `…Weight` in `value`, recursively.
    private static func weights(in value: Any) -> Int {
        Mirror(reflecting: value).children.reduce(0) { count, child in
            let name = child.label ?? ""
            return count + (name == "weight" || name.hasSuffix("Weight") ? 1 : weights(in: child.value))
        }
    }

    @Test("a signal alone sets all other weights to 0", arguments: SpoofSignal.all.map(\.name))
    func alone(name: String) throws {
        let settings = TrackingSettings()
        let alone = try #require(SpoofSignal.all.first { $0.name == name }).alone(in: settings)
        for other in SpoofSignal.all {
            for weight in other.weights {
                #expect(alone[keyPath: weight] == (other.name == name ? settings[keyPath: weight] : 0))
            }
        }
    }

    @Test("tables and JSON contain attacks, honest hours, samplings and ROC curves")
    func output() throws {
        let tables = Self.report.tables
        let attacks = try #require(tables.first { $0.title.hasPrefix("Attacks, seed 1") })
        #expect(attacks.rows.map { $0[0] } == AttackKind.allCases.map(\.rawValue))
        #expect(tables.first?.rows.map { $0[0] } == ["simulated"])
        #expect(tables.count { $0.title.contains("hosts with a fix every") } == 2)
        let json = String(decoding: try Self.report.json(), as: UTF8.self)
        #expect(json.contains("\"flagged_traces\"") && json.contains("\"with_speed_and_heading\""))
        #expect(json.contains("\"roc\"") && json.contains("\"false_positive_rate\""))
    }

    @Test("a trace with a recorded attack is reported separately")
    func recordedAttack() throws {
        var fleet = SimulatedFleet(seed: 9)
        var attacked = fleet.drive(0)
        for index in 300..<400 {
            attacked.isForged[index] = true
            attacked.fixes[index].isMock = true
        }
        let recording = NamedRecording(name: "made-up", traces: [attacked, fleet.drive(1)])
        var options = SpoofingOptions()
        options.attacks = 0
        options.fillsMemory = false
        let report = SpoofingEvaluation.report(on: [recording], options)
        #expect(report.honest.map(\.traces) == [1])
        let attacks = try #require(report.recordedAttacks.first)
        #expect(attacks.attacks == 1 && attacks.detected == 1)
        #expect(attacks.rejectedForgedFixes == 100)
    }
}
