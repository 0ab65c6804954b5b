import Testing

@testable import Domain
@testable import Support

/// Drivers with anomalies at the same time.
///
/// A step of 5 km within a second is a teleportation.
@Suite struct DisturbanceTests {
    @Test("two jumping drivers of an area get evidence, three do not", arguments: [2, 3])
    func number(count: Int) {
        let area = Neighbours(4)
        var last: [VerdictResult] = []
        for index in 0..<count { last.append(area.send(index, 5000 + 30 * Double(index), at: 20 + Double(index) / 10)) }
        #expect(last.allSatisfy { $0.verdict == .rejected && $0.estimate == nil })
        let isDisturbance = count == 3
        #expect(last[0].reasons.contains(.teleportation) && last[0].risk > 0.2)
        #expect(last[count - 1].reasons == (isDisturbance ? [.gnssDisturbance] : [.teleportation]))
        #expect((last[count - 1].risk < 0.05) == isDisturbance)
        if isDisturbance {
            #expect(last[2].warnings.map(\.reason) == [.gnssDisturbance])
            #expect(last[2].warnings.map(\.action) == [.none])
        }
        // The next good fixes show whether the evidence of the first drivers was removed.
        for index in 0..<count {
            let next = area.stay(index, at: 21 + Double(index) / 10)
            #expect(next.verdict == .accepted)
            #expect((next.risk < 0.05) == isDisturbance, "driver \(index)")
            #expect(next.reasons.contains(.gnssDisturbance) == (isDisturbance && index < 2))
            #expect(
                next.warnings.contains { $0.reason == .gnssDisturbance && $0.action == .none }
                    == (isDisturbance && index < 2))
            #expect(area.stay(index, at: 22 + Double(index) / 10).reasons.isEmpty)
        }
    }

    @Test("anomalies within a minute are a disturbance", arguments: [(60.0, true), (60.001, false)])
    func window(seconds: Double, isDisturbance: Bool) {
        let area = Neighbours(3)
        area.send(0, 5000, at: 20)
        area.stayAll(from: 21, to: 30)
        area.send(1, 5030, at: 30)
        area.stayAll(from: 31, to: 80)
        area.stay(0, at: 79.5)
        let third = area.send(2, 5060, at: 20 + seconds)
        #expect(third.reasons.contains(.gnssDisturbance) == isDisturbance)
        let first = area.stay(0, at: 81)
        #expect(first.reasons.contains(.gnssDisturbance) == isDisturbance)
        let risk = area.drivers[0].state.risk
        #expect((max(risk.evidence, risk.ambiguousEvidence) < 0.01) == isDisturbance)
    }

    @Test("evidence of a driver with long intervals is also removed, and only once")
    func rareReports() {
        let area = Neighbours(3)
        area.drivers[0].template.isMock = true
        area.stay(0, at: 20)
        area.drivers[0].template.isMock = false
        area.send(0, 5000, at: 21)
        #expect(area.drivers[0].state.risk.evidence > 5)
        area.stayAll(from: 22, to: 80, except: [0])
        area.send(1, 5000, at: 80)
        area.send(2, 5100, at: 80.9)
        area.stay(0, at: 110)
        // Only the evidence of the mock flag remains: 3, halved in 90 s.
        #expect(abs(area.drivers[0].state.risk.evidence - 1.5) < 0.01)
        area.stay(0, at: 111)
        #expect(abs(area.drivers[0].state.risk.evidence - 1.49) < 0.01)
    }

    @Test("an area reaches 2 km from each driver, across all cell borders", arguments: [(900.0, true), (1010, false)])
    func distance(apart: Double, isDisturbance: Bool) {
        // In a city, at a border of rows and columns, on the date line, on the equator and far north.
        for origin in [(37.7751, -122.4183), (37.785, -122.4), (0, 179.999), (-0.0001, 0.0001), (69.3, 18.95)] {
            let area = Neighbours(3)
            let plane = TangentPlane(origin: Coordinate(latitude: origin.0, longitude: origin.1))
            for index in 0..<3 {
                area.drivers[index].plane = TangentPlane(
                    origin: plane.coordinate(of: .init(east: Double(index) * apart, north: 0)))
                // Begins at 500 s, when earlier positions are no longer counted.
                for second in 500..<520 { area.stay(index, at: Double(second)) }
            }
            area.send(0, 5000, at: 520)
            area.send(1, 5500, at: 520.1)
            let third = area.send(2, 6000, at: 520.2)
            #expect(third.reasons.contains(.gnssDisturbance) == isDisturbance, "\(origin)")
        }
    }

    @Test("a disturbance requires 5 % of the active drivers in the area", arguments: [(60, true), (61, false)])
    func share(active: Int, isDisturbance: Bool) {
        let area = Neighbours(active, apart: 10)
        area.send(0, 5000, at: 20)
        area.send(1, 5030, at: 20.1)
        #expect(area.send(2, 5060, at: 20.2).reasons.contains(.gnssDisturbance) == isDisturbance)
        // Four drivers are more than 5 % of 61.
        #expect(area.send(3, 5090, at: 20.3).reasons == [.gnssDisturbance])
    }

    @Test("drivers who left and drivers far away are not counted as active")
    func activity() {
        var counts = ActivityCounts(periodSeconds: 60)
        let home = GridPoint(Coordinate(latitude: 48.1, longitude: 11.5))
        func presence(_ point: GridPoint?, _ seconds: Double) -> DriverState.Presence {
            var state = DriverState()
            state.lastAccepted.isKnown = point != nil
            state.lastAccepted.point = point ?? GridPoint()
            state.seenAt = Timestamp(milliseconds: 1_200_000).advanced(bySeconds: seconds)
            return DriverState.Presence(state)
        }
        func record(_ before: (GridPoint?, Double), _ after: (GridPoint?, Double)) {
            counts.record(before: presence(before.0, before.1), after: presence(after.0, after.1))
        }
        let far = GridPoint(Coordinate(latitude: 48.2, longitude: 11.5))
        record((nil, 0), (home, 0))
        record((home, 0), (home, 30))
        #expect(counts.drivers(near: home) == 1)
        record((home, 30), (far, 40))
        #expect(counts.drivers(near: home) == 0 && counts.drivers(near: far) == 1)
        record((nil, 0), (home, 50))
        // In the next period, both drivers still count from the previous period, and once each despite further fixes.
        record((far, 40), (far, 61))
        #expect(counts.drivers(near: home) == 1 && counts.drivers(near: far) == 1)
        record((far, 61), (nil, 62))
        #expect(counts.drivers(near: far) == 1)
        record((nil, 62), (home, 125))
        #expect(counts.drivers(near: home) == 1 && counts.drivers(near: far) == 0)
        record((home, 125), (home, 400))
        #expect(counts.drivers(near: home) == 1)
        record((home, 400), (far, 401))
        #expect(counts.drivers(near: home) == 0)
    }

    @Test("mock flags and failed integrity count as evidence also during a disturbance")
    func mockAndIntegrity() {
        let area = Neighbours(5)
        for second in 20..<40 {
            area.stay(4, at: Double(second))
            for index in 0..<3 { area.send(index, 5000 + Double(second * 7 + index * 50), at: Double(second)) }
            area.drivers[3].template.isMock = true
            let result = area.send(3, 5000, at: Double(second))
            #expect(result.reasons.contains(.mockLocation) && !result.reasons.contains(.gnssDisturbance))
        }
        #expect(area.drivers[3].state.risk.evidence > 10)
        area.drivers[4].template.integrity = .failed
        let failed = area.send(4, 5000, at: 40)
        #expect(failed.reasons == [.deviceIntegrity, .gnssDisturbance])
        #expect(area.drivers[4].state.risk.evidence == 3)
    }

    @Test("three mock phones do not make a disturbance for a fourth driver who jumps")
    func mocksAreNotCounted() {
        let area = Neighbours(4)
        for index in 0..<3 {
            area.drivers[index].template.isMock = true
            area.send(index, 5000 + 40 * Double(index), at: 20)
        }
        #expect(area.send(3, 5200, at: 20.1).reasons == [.teleportation])
    }

    @Test("phones that jump together to points within a metre get evidence", arguments: [(0.9, false), (1.1, true)])
    func samePoint(metersApart: Double, isDisturbance: Bool) {
        let area = Neighbours(3, apart: 0)
        for index in 0..<3 {
            let result = area.send(index, 5000, Double(index - 1) * metersApart, at: 20 + Double(index) / 10)
            #expect(result.verdict == .rejected)
        }
        // The middle phone is within a metre of both others, or of neither.
        area.send(1, 5000, 0, at: 20.5)
        #expect((area.stay(1, at: 21).risk < 0.05) == isDisturbance)
    }

    @Test("during a disturbance, jumps are rejected and never confirmed")
    func noRelocation() {
        let area = Neighbours(3)
        for second in 20..<100 {
            for index in 0..<3 {
                let result = area.send(index, 9000 + Double((second * 13 + index * 37) % 20), at: Double(second))
                #expect(result.verdict == .rejected && result.estimate == nil)
                if second > 20 { #expect(result.reasons == [.gnssDisturbance] && result.risk < 0.05) }
            }
        }
        // Afterwards, the first good fix is accepted.
        for index in 0..<3 {
            let result = area.stay(index, at: 100)
            #expect(result.verdict == .accepted && result.risk < 0.05)
        }
    }

    @Test("a jump that continues after a disturbance must be confirmed again, and is then accepted")
    func afterwards() throws {
        let area = Neighbours(3)
        for second in 20..<25 { for index in 0..<3 { area.send(index, 9000 + Double(index * 40), at: Double(second)) } }
        var relocatedAt: Int?
        for second in 25..<120 where relocatedAt == nil {
            area.stay(1, at: Double(second))
            area.stay(2, at: Double(second))
            if area.send(0, 9000, at: Double(second)).verdict == .accepted { relocatedAt = second }
        }
        #expect(try #require(relocatedAt) == 86)
        // Evidence of the first fix after the minute and of the relocation: not enough for a suspect.
        #expect(abs(area.drivers[0].state.risk.evidence - 4.5) < 0.1)
    }

    @Test("contradicting speeds of several drivers are also attributed to a disturbance, and the fixes are accepted")
    func speeds() {
        let area = Neighbours(3)
        var labelled: Set<Int> = []
        for second in 20..<60 {
            for index in 0..<3 {
                area.drivers[index].template.speedMetersPerSecond = 25
                let result = area.stay(index, at: Double(second) + Double(index) / 10)
                #expect(result.verdict == .accepted)
                if result.reasons.contains(.gnssDisturbance) { labelled.insert(index) }
            }
        }
        #expect(labelled == [0, 1, 2])
        for index in 0..<3 { #expect(area.stay(index, at: 60).risk < 0.05) }
    }

    @Test("the oldest anomaly is replaced in a full memory, and a disabled memory stores no anomaly")
    func bounds() {
        var settings = TrackingSettings()
        settings.disturbance.rememberedDrivers = 8
        var memory = DisturbanceMemory(settings: settings)
        for driver in 0..<20 {
            memory.record(Anomaly(at: TestDriver.start.advanced(bySeconds: Double(driver))), of: driver)
        }
        #expect(memory.count == 8)
        #expect((0..<20).filter { memory.anomaly(of: $0) != nil } == Array(12..<20))
        memory.record(Anomaly(at: TestDriver.start.advanced(bySeconds: 1000)), of: 1)
        #expect(memory.count == 1)
        var none = DisturbanceMemory.none
        none.record(Anomaly(at: TestDriver.start), of: 1)
        #expect(none.count == 0 && none.anomaly(of: 1) == nil)
    }

    @Test("evidence of an anomaly decays, and only the last one to two windows are kept")
    func decay() {
        var anomaly = Anomaly(at: TestDriver.start)
        func advance(to seconds: Double) {
            let now = TestDriver.start.advanced(bySeconds: seconds)
            anomaly.advance(to: now, windowSeconds: 60, halfLifeSeconds: 90)
        }
        anomaly.recentEvidence = 3
        advance(to: 60)
        #expect(anomaly.recentEvidence < 3 && anomaly.olderEvidence == 0)
        advance(to: 61)
        #expect(anomaly.recentEvidence == 0 && abs(Double(anomaly.olderEvidence) - 3 * 0.6251) < 0.001)
        anomaly.recentEvidence = 1
        advance(to: 121)
        #expect(anomaly.recentEvidence < 1 && anomaly.olderEvidence > 0)
        advance(to: 122)
        #expect(anomaly.recentEvidence == 0 && anomaly.olderEvidence < 1)
        advance(to: 183)
        #expect(anomaly == Anomaly(at: TestDriver.start.advanced(bySeconds: 183)))
    }
}
