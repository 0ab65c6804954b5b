import Testing

@testable import Domain
@testable import Simulation

@Suite("Records of simulated devices")
struct FleetFixTests {
    @Test("only lost fixes leave gaps in the sequence numbers")
    func gaps() {
        var configuration = Fleet.configuration()
        configuration.lossShare = 0.03
        configuration.warmUpSeconds = 300
        var fleet = FleetSimulation(configuration: configuration)
        let sessions = Fleet.sessions(Fleet.events(&fleet, seconds: 300))
        var missing = 0
        for session in sessions {
            for (left, right) in zip(session, session.dropFirst()) {
                #expect(right.sequence > left.sequence)
                #expect(right.takenAt > left.takenAt)
                missing += Int(right.sequence - left.sequence) - 1
            }
        }
        // Fixes lost at the start of a session or at the end leave no gap.
        #expect(missing <= fleet.lostFixes)
        #expect(Double(missing) > 0.8 * Double(fleet.lostFixes))
        #expect(fleet.lostFixes > 50)
    }

    @Test("vehicles have plausible speeds and never jump")
    func speeds() {
        let events = Fleet.events(Fleet.configuration(), seconds: 240)
        var fastest = 0.0
        var moving = 0
        for session in Fleet.sessions(events) {
            for (left, right) in zip(session, session.dropFirst()) {
                let seconds = right.takenAt.seconds(since: left.takenAt)
                let speed = Geodesy.distanceMeters(from: left.coordinate, to: right.coordinate) / seconds
                fastest = max(fastest, speed)
                if speed > 2 { moving += 1 }
            }
        }
        #expect(fastest < 30)
        #expect(fastest > 12)
        #expect(moving > 1000)
    }

    @Test("honest accuracies contain about 68 % of the errors")
    func honestAccuracy() throws {
        var configuration = Fleet.configuration(drivers: 120)
        configuration.cheaterShare = 0
        let fixes = Fleet.fixes(Fleet.events(configuration, seconds: 240))
        let within = fixes.count { fix in
            Geodesy.distanceMeters(from: fix.coordinate, to: fix.reported) <= fix.reportedAccuracyMeters ?? 0
        }
        let share = Double(within) / Double(fixes.count)
        #expect((0.63...0.73).contains(share), "\(share) of \(fixes.count) fixes lie within their accuracy")
    }

    @Test("fixes are sent every second on a trip and every 30 s or less often without a trip")
    func rates() {
        let sessions = Fleet.sessions(Fleet.events(Fleet.configuration(drivers: 80), seconds: 300))
        var idlePairs = 0
        for session in sessions {
            for (left, right) in zip(session, session.dropFirst()) where right.sequence == left.sequence + 1 {
                let seconds = right.takenAt.seconds(since: left.takenAt)
                if left.isOnTrip, right.isOnTrip {
                    // Only cheaters who close the app cause longer gaps.
                    #expect(seconds == 1 || seconds > 10)
                } else if !left.isOnTrip, !right.isOnTrip, left.sequence > 0 {
                    #expect(seconds >= 30)
                    idlePairs += 1
                }
            }
        }
        #expect(idlePairs > 10)
    }

    @Test("the pipeline's rate limits never throttle a simulated driver")
    func tokenBucket() {
        var configuration = Fleet.configuration(drivers: 60)
        configuration.warmUpSeconds = 300
        let events = Fleet.events(configuration, seconds: 400)
        for (driver, records) in Dictionary(grouping: Fleet.records(events).filter { $0.fixes.count == 1 }, by: \.key) {
            var tokens = 5.0
            var last = records[0].sentAt
            for record in records {
                let perSecond = record.fixes[0].isOnTrip ? 1.0 : 1.0 / 30
                tokens = min(5, tokens + record.sentAt.seconds(since: last) * perSecond)
                last = record.sentAt
                #expect(tokens >= 1, "\(driver) is throttled at \(record.sentAt.milliseconds)")
                tokens -= 1
            }
        }
    }

    @Test("a tunnel causes a gap and then one upload of the cached fixes")
    func tunnels() throws {
        var configuration = Fleet.configuration(drivers: 150)
        configuration.streets.tunnels = 30
        configuration.cheaterShare = 0
        configuration.lossShare = 0
        var fleet = FleetSimulation(configuration: configuration)
        let records = Fleet.records(Fleet.events(&fleet, seconds: 400))
        let batches = records.filter { $0.fixes.count > 1 }
        #expect(batches.count >= 5)
        for batch in batches {
            let first = try #require(batch.fixes.first)
            let last = try #require(batch.fixes.last)
            let silentSeconds = last.takenAt.seconds(since: first.takenAt)
            if first.isOnTrip, last.isOnTrip, batch.fixes.count > 15 { #expect((14...95).contains(silentSeconds)) }
            #expect(String(decoding: batch.value.prefix(30), as: UTF8.self).contains("location_batch"))
            #expect(batch.sentAt > last.takenAt)
            let live = records.filter { $0.key == batch.key && $0.fixes.count == 1 }
            #expect(!live.contains { $0.fixes[0].takenAt > first.takenAt && $0.fixes[0].takenAt < last.takenAt })
        }
        #expect(batches.contains { $0.fixes.count >= 20 })
    }

    @Test("repeated records have the same bytes, and some records are overtaken")
    func mishaps() {
        var configuration = Fleet.configuration()
        configuration.duplicateShare = 0.05
        configuration.reorderedShare = 0.05
        var fleet = FleetSimulation(configuration: configuration)
        var sent: Set<[UInt8]> = []
        var repeats = 0
        var overtaken = 0
        var newest: [String: Int64] = [:]
        for case .rawRecord(let record) in Fleet.events(&fleet, seconds: 120) {
            if record.isRepeat {
                #expect(sent.contains(record.value))
                repeats += 1
            } else {
                #expect(sent.insert(record.value).inserted)
                let session = record.key + record.fixes[0].sessionID
                if record.fixes[0].sequence < newest[session] ?? -1 { overtaken += 1 }
                newest[session] = max(newest[session] ?? -1, record.fixes[0].sequence)
            }
        }
        #expect(repeats > 20)
        #expect(overtaken > 20)
    }

    @Test("a device's clock offset is constant to within a second")
    func clockSkew() throws {
        var configuration = Fleet.configuration(drivers: 60)
        configuration.skewedClockShare = 0.5
        var spread: [Double] = []
        for (_, records) in Dictionary(grouping: Fleet.records(Fleet.events(configuration, seconds: 90)), by: \.key) {
            let skews = try records.filter { $0.fixes.count == 1 }.map { record in
                try #require(Fleet.deviceTime(in: record.value)).seconds(since: record.fixes[0].takenAt)
            }
            let (least, most) = (try #require(skews.min()), try #require(skews.max()))
            #expect(most - least < 1)
            spread.append(least)
        }
        #expect(spread.contains { $0 > 60 } && spread.contains { $0 < -60 })
        #expect(spread.allSatisfy { abs($0) < configuration.maximumClockSkewSeconds + 1 })
    }

    @Test("both formats occur, and each driver uses one format")
    func formats() {
        var formats: [String: Set<Bool>] = [:]
        for record in Fleet.records(Fleet.events(Fleet.configuration(), seconds: 60)) {
            let isMobile = String(decoding: record.value, as: UTF8.self).contains("\"location_update\"")
            formats[record.key, default: []].insert(isMobile)
        }
        #expect(formats.values.allSatisfy { $0.count == 1 })
        #expect(Set(formats.values).count == 2)
    }
}
