import Foundation
import Testing

@testable import Domain
@testable import Simulation
@testable import Support

@Suite("Cheats of a simulated fleet")
struct FleetCheatTests {
    private func run() -> (fleet: FleetSimulation, records: [SimulatedEvent.RawRecord]) {
        var configuration = Fleet.configuration(drivers: 50)
        configuration.cheaterShare = 0.4
        configuration.warmUpSeconds = 300
        var fleet = FleetSimulation(configuration: configuration)
        let events = Fleet.events(&fleet, seconds: 400)
        return (fleet, Fleet.records(events))
    }

    @Test("exactly the requested share of drivers cheats, divided evenly over the kinds")
    func shares() {
        let (fleet, _) = run()
        let kinds = fleet.drivers.compactMap(\.cheat)
        #expect(kinds.count == 20)
        for kind in CheatKind.allCases { #expect(kinds.count { $0 == kind } == 4) }
        #expect(
            FleetSimulation(configuration: Fleet.configuration(drivers: 200)).drivers.count { $0.cheat != nil } == 10)
    }

    @Test("a fix is forged exactly if it is in one of its driver's cheat windows")
    func windows() {
        let (fleet, records) = run()
        let truths = Dictionary(uniqueKeysWithValues: fleet.drivers.map { ($0.driverID, $0) })
        var forged: [String: Int] = [:]
        for fix in records.flatMap(\.fixes) {
            let inWindow = truths[fix.driverID]?.windows.contains { window in
                fix.takenAt >= window.from && window.to.map { fix.takenAt < $0 } ?? true
            }
            if fix.isForged { #expect(inWindow == true, "\(fix.driverID) forges outside of windows") }
            if inWindow == true { #expect(fix.isForged, "\(fix.driverID) is honest inside a window") }
            if fix.isForged { forged[fix.driverID, default: 0] += 1 }
        }
        for driver in fleet.drivers {
            #expect(driver.cheat != nil || driver.windows.isEmpty)
            let counted = driver.windows.map(\.forgedFixes).reduce(0, +)
            // The last fix may not have arrived yet.
            #expect((0...1).contains(counted - (forged[driver.driverID] ?? 0)))
        }
        let cheating = Set(fleet.drivers.filter { !$0.windows.isEmpty }.compactMap(\.cheat))
        #expect(cheating == Set(CheatKind.allCases))
    }

    @Test("each kind of cheat is visible in the records")
    func signs() throws {
        let (fleet, records) = run()
        for driver in fleet.drivers {
            guard let cheat = driver.cheat else { continue }
            let own = records.filter { $0.key == driver.driverID && $0.fixes.count == 1 }
            let forged = own.filter { $0.fixes[0].isForged }
            guard forged.count >= 3 else { continue }
            switch cheat {
            case .teleport:
                #expect(forged.allSatisfy { Self.error($0) > 1000 })
            case .impossibleSpeed:
                let steps = zip(forged, forged.dropFirst()).filter { $1.fixes[0].sequence == $0.fixes[0].sequence + 1 }
                let fast = steps.count { pair in
                    Geodesy.distanceMeters(from: pair.0.fixes[0].reported, to: pair.1.fixes[0].reported) > 150
                }
                #expect(Double(fast) > 0.7 * Double(steps.count))
            case .mockFlag:
                #expect(forged.allSatisfy { Self.payload($0)?["is_mock"] as? Bool == true })
            case .zeroAccuracy:
                #expect(forged.allSatisfy { Self.payload($0)?["accuracy_meters"] as? Double == 0 })
            case .replayedTrack:
                let honest = Set(own.filter { !$0.fixes[0].isForged }.map { $0.fixes[0].reported })
                #expect(forged.allSatisfy { honest.contains($0.fixes[0].reported) })
            }
        }
        let honest = records.filter { !$0.fixes[0].isForged && $0.fixes.count == 1 }
        #expect(!honest.contains { Self.payload($0)?["is_mock"] as? Bool == true })
        #expect(!honest.contains { $0.fixes[0].reportedAccuracyMeters == 0 })
    }

    @Test("each position of a replayed track is repeated at least 75 s after it was driven")
    func replay() throws {
        let (fleet, records) = run()
        var completeTracks = 0
        for driver in fleet.drivers where driver.cheat == .replayedTrack {
            let own = records.filter { $0.key == driver.driverID }.flatMap(\.fixes).sorted { $0.takenAt < $1.takenAt }
            var firstAt: [Coordinate: Timestamp] = [:]
            for fix in own {
                if fix.isForged {
                    let drivenAt = try #require(firstAt[fix.reported])
                    #expect(fix.takenAt.seconds(since: drivenAt) >= 75)
                } else {
                    firstAt[fix.reported] = fix.takenAt
                }
            }
            let windows = driver.windows.filter { $0.forgedFixes == Cheat.trackFixes }
            completeTracks += windows.count
            for window in windows {
                let forged = own.filter { $0.isForged && $0.takenAt >= window.from }.prefix(Cheat.trackFixes)
                let steps = zip(forged, forged.dropFirst()).map {
                    Geodesy.distanceMeters(from: $0.reported, to: $1.reported)
                }
                #expect(steps.allSatisfy { $0 >= Cheat.trackStepMeters })
            }
        }
        #expect(completeTracks > 0 && CheatKind.replayedTrack.fixesNeeded == Cheat.trackFixes)
    }

    @Test("a replayed track starts after a gap of more than 10 s")
    func silence() throws {
        let (fleet, records) = run()
        var tracks = 0
        for driver in fleet.drivers where driver.cheat == .replayedTrack {
            let own = records.filter { $0.key == driver.driverID }.flatMap(\.fixes).sorted { $0.takenAt < $1.takenAt }
            for (before, first) in zip(own, own.dropFirst()) where first.isForged && !before.isForged {
                #expect(first.takenAt.seconds(since: before.takenAt) > 10)
                tracks += 1
            }
        }
        #expect(tracks > 0)
    }

    private static func error(_ record: SimulatedEvent.RawRecord) -> Double {
        Geodesy.distanceMeters(from: record.fixes[0].coordinate, to: record.fixes[0].reported)
    }

    private static func payload(_ record: SimulatedEvent.RawRecord) -> [String: Any]? {
        let object = try? JSONSerialization.jsonObject(with: Data(record.value)) as? [String: Any]
        return object?["payload"] as? [String: Any]
    }
}
