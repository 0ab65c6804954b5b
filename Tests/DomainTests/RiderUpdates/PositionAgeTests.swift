import Testing

@testable import Domain

/// Updates for late, batched and missing positions.
@Suite struct PositionAgeTests {
    private let broadcaster = Broadcaster()

    /// Returns a record at stream time `seconds` of a trip with one stop `eta` seconds ahead.
    private func record(
        at seconds: Double, fixedAt: Double, eta: Double = 600, kind: TripMessage.Kind = .ride,
        isProvisional: Bool = false, status: TripEta.StopStatus = .valid
    ) -> TripEta {
        var record = TripEta(tripID: "t", driverID: "d", kind: kind, state: .inProgress, computedAt: Town.time(seconds))
        record.position = Town.position(fixedAt, 0, heading: 89.6, at: fixedAt)
        record.isSilent = seconds - fixedAt >= 30
        record.isStale = seconds - fixedAt > 120
        record.isProvisional = isProvisional
        var stop = TripEta.Stop(id: "s", kind: kind == .ride ? .dropoff : .stop, status: status, delay: .onTime)
        if status == .valid {
            stop.seconds = Int(eta)
            (stop.minSeconds, stop.maxSeconds) = (Int(eta) - 10, Int(eta) + 20)
            stop.arrivesAt = Town.time(seconds + eta)
            stop.confidence = .high
        }
        record.stops = [stop]
        record.nextStopID = "s"
        record.lastStopID = "s"
        record.routeID = kind == .ride ? nil : "R1"
        return record
    }

    private func locations(_ updates: [RiderUpdate]) -> [RiderUpdate.DriverLocation] {
        updates.compactMap { if case .driverLocation(let location) = $0 { location } else { nil } }
    }

    private func etas(_ updates: [RiderUpdate]) -> [RiderUpdate.EtaUpdate] {
        updates.compactMap { if case .eta(let eta) = $0 { eta } else { nil } }
    }

    private func started(interval: Double = 4, count: Int = 5) -> (state: BroadcastState, at: Double) {
        var state = BroadcastState()
        for step in 0..<count {
            let at = Double(step) * interval
            _ = broadcaster.updates(for: record(at: at, fixedAt: at, eta: 600 - at), state: &state)
        }
        return (state, Double(count - 1) * interval)
    }

    // MARK: Batches

    @Test("the newest position of a batch is sent once, with its timestamp and age")
    func batch() throws {
        var (state, at) = started()
        let receipt = at + 90.5
        var sent: [RiderUpdate] = []
        for step in 1...22 {
            let fixedAt = at + Double(step) * 4
            sent += broadcaster.updates(
                for: record(at: receipt, fixedAt: fixedAt, eta: 500, isProvisional: step < 22), state: &state)
        }
        let location = try #require(locations(sent).first)
        #expect(locations(sent).count == 1)
        #expect(location.fixedAt == Town.time(at + 88))
        #expect(location.coordinate == Town.place(at + 88, 0))
        #expect(location.staleSeconds == 2)
        #expect(!location.isStale)
        #expect(etas(sent).count <= 1)
        #expect(etas(sent).allSatisfy { $0.staleSeconds == 2 })
    }

    @Test("a provisional position is sent once, when a later record repeats it")
    func repeated() throws {
        var (state, at) = started()
        let provisional = record(at: at + 60, fixedAt: at + 20, isProvisional: true)
        #expect(broadcaster.updates(for: provisional, state: &state).isEmpty)
        let repeated = locations(broadcaster.updates(for: record(at: at + 63, fixedAt: at + 20), state: &state))
        #expect(repeated.map(\.staleSeconds) == [43])
        #expect(repeated.map(\.fixedAt) == [Town.time(at + 20)])
        #expect(locations(broadcaster.updates(for: record(at: at + 64, fixedAt: at + 20), state: &state)).isEmpty)
        // The repeated position does not delay live positions.
        let live = locations(broadcaster.updates(for: record(at: at + 64.2, fixedAt: at + 64), state: &state))
        #expect(live.map(\.staleSeconds) == [0])
    }

    @Test("only a position newer than the last sent one is sent", arguments: [(-1.0, false), (0, false), (1, true)])
    func older(by seconds: Double, isSent: Bool) {
        var (state, at) = started()
        let updates = broadcaster.updates(for: record(at: at + 10, fixedAt: at + seconds), state: &state)
        #expect(!locations(updates).isEmpty == isSent)
        // An older position is not sent, even if the vehicle is stale.
        let silence = broadcaster.updates(for: record(at: at + 130, fixedAt: at - 1), state: &state)
        #expect(locations(silence).isEmpty)
    }

    @Test("changes by a trip message are sent with the last position, whatever its age")
    func change() {
        var state = BroadcastState()
        var eta = record(at: 100, fixedAt: 10)
        eta.change = TripEta.Change(previousState: .requested, changedAt: Town.time(100))
        let sent = locations(broadcaster.updates(for: eta, state: &state))
        #expect(sent.map(\.staleSeconds) == [90])
    }

    @Test("the interpolation time adapts to a new interval after two positions")
    func newInterval() {
        var (state, at) = started()
        var times: [Int] = []
        for step in 1...4 {
            let fixedAt = at + Double(step) * 30
            let updates = broadcaster.updates(for: record(at: fixedAt + 0.3, fixedAt: fixedAt), state: &state)
            times += locations(updates).map(\.interpolationMilliseconds)
        }
        #expect(times == [4000, 30_000, 30_000, 30_000])
    }

    @Test("the interpolation time of batches is the interval between sent positions")
    func batchInterpolation() {
        var state = BroadcastState()
        var times: [Int] = []
        for batch in 1...5 {
            for fix in 1...10 {
                let fixedAt = Double(batch - 1) * 30 + Double(fix) * 3
                let updates = broadcaster.updates(
                    for: record(at: Double(batch) * 30 + 0.5, fixedAt: fixedAt, isProvisional: fix < 10), state: &state)
                times += locations(updates).map(\.interpolationMilliseconds)
            }
        }
        #expect(times == [2000, 30_000, 30_000, 30_000, 30_000])
    }

    // MARK: Silence

    @Test(
        "the position of a silent vehicle is sent once from 30 s on, with its age",
        arguments: [(29.999, []), (30, [30]), (30.001, [30]), (34.9, [34])] as [(Double, [Int])])
    func silence(seconds: Double, expected: [Int]) {
        var (state, at) = started()
        let sent = locations(
            broadcaster.updates(for: record(at: at + seconds, fixedAt: at, eta: 550), state: &state))
        #expect(sent.map(\.staleSeconds) == expected)
        #expect(sent.allSatisfy { !$0.isStale && $0.fixedAt == Town.time(at) })
        let more = locations(broadcaster.updates(for: record(at: at + 90, fixedAt: at, eta: 490), state: &state))
        #expect(more.isEmpty == !expected.isEmpty)
    }

    @Test("a vehicle that sends every 30 s is silent after one and a half of its intervals")
    func seldom() {
        var (state, at) = started(interval: 30)
        for (seconds, count) in [(30.0, 0), (44.999, 0), (45, 1), (90, 0)] {
            let updates = broadcaster.updates(for: record(at: at + seconds, fixedAt: at), state: &state)
            #expect(locations(updates).count == count, "\(seconds) s")
        }
    }

    @Test(
        "every update has the age of its position in whole seconds",
        arguments: [(0.0, 0), (0.999, 0), (1, 1), (9.2, 9)])
    func ages(age: Double, expected: Int) throws {
        var state = BroadcastState()
        let updates = broadcaster.updates(for: record(at: 50, fixedAt: 50 - age, kind: .transit), state: &state)
        #expect(locations(updates).map(\.staleSeconds) == [expected])
        #expect(etas(updates).map(\.staleSeconds) == [expected])
        for case .vehiclePosition(let vehicle) in updates { #expect(vehicle.staleSeconds == expected) }
        var without = record(at: 50, fixedAt: 50)
        without.position = nil
        var blank = BroadcastState()
        #expect(etas(broadcaster.updates(for: without, state: &blank)).map(\.staleSeconds) == [nil])
    }

    @Test("a stale ETA is sent once, relative to the time of its position")
    func staleEta() throws {
        var (state, at) = started()
        let before = broadcaster.updates(for: record(at: at + 120, fixedAt: at, eta: 464), state: &state)
        #expect(etas(before).isEmpty)
        let eta = try #require(
            etas(broadcaster.updates(for: record(at: at + 121, fixedAt: at, eta: 463), state: &state)).first)
        #expect(eta.isStale)
        #expect(eta.staleSeconds == 121)
        #expect(eta.computedAt == Town.time(at + 121))
        #expect(eta.estimatedAt == Town.time(at))
        #expect(eta.stops[0].status == .valid)
        #expect(eta.stops[0].seconds == 584)
        #expect(eta.stops[0].minSeconds == 574)
        #expect(eta.stops[0].maxSeconds == 604)
        #expect(eta.estimatedAt.advanced(bySeconds: 584) == eta.stops[0].arrivesAt)
        // An ETA that only counts down is not sent again.
        for seconds in stride(from: 180.0, through: 600, by: 60) {
            let record = record(at: at + seconds, fixedAt: at, eta: max(0, 584 - seconds))
            #expect(broadcaster.updates(for: record, state: &state).isEmpty)
        }
        let end = record(at: at + 605, fixedAt: at, status: .unavailable)
        let ended = etas(broadcaster.updates(for: end, state: &state))
        #expect(ended.map(\.stops[0].status) == [.unavailable])
        let back = broadcaster.updates(for: record(at: at + 700, fixedAt: at + 700, eta: 300), state: &state)
        #expect(etas(back).map(\.isStale) == [false])
        #expect(locations(back).map(\.isStale) == [false])
    }

    @Test("a state restored at any record of a batch and a silence gives the same updates")
    func restore() throws {
        var steady = BroadcastState()
        var restored = BroadcastState()
        var records = (0..<6).map { record(at: Double($0) * 4, fixedAt: Double($0) * 4) }
        records += (1...9).map { record(at: 100, fixedAt: 20 + Double($0) * 4, isProvisional: true) }
        records += [record(at: 105, fixedAt: 56), record(at: 106, fixedAt: 105)]
        records += [135.0, 195, 230, 290].map { record(at: $0, fixedAt: 105) }
        for (index, record) in records.enumerated() {
            let expected = broadcaster.updates(for: record, state: &steady)
            #expect(broadcaster.updates(for: record, state: &restored) == expected, "record \(index)")
            let bytes = [UInt8](unsafeUninitializedCapacity: steady.maximumEncodedByteCount) {
                $1 = steady.encode(into: UnsafeMutableRawBufferPointer($0))
            }
            restored = try #require(bytes.withUnsafeBytes { BroadcastState($0) })
            #expect(restored == steady)
        }
    }

    // MARK: Buses

    @Test("a bus is sent with its vehicle number, or without one its trip id, and with its last stop")
    func vehicleNumber() throws {
        for (number, expected) in [("KA-01 F 1234", "KA-01 F 1234"), (nil, "t")] as [(String?, String)] {
            var state = BroadcastState()
            var eta = record(at: 10, fixedAt: 10, kind: .transit)
            eta.vehicleNumber = number
            for case .vehiclePosition(let vehicle) in broadcaster.updates(for: eta, state: &state) {
                #expect(vehicle.vehicleNumber == expected)
                #expect(vehicle.streamID == "t")
                #expect(vehicle.bearingDegrees == 90)
                #expect((vehicle.etaSeconds, vehicle.minEtaSeconds, vehicle.maxEtaSeconds) == (600, 590, 620))
            }
            eta = record(at: 20, fixedAt: 20, kind: .transit, status: .passed)
            eta.nextStopID = nil
            eta.position?.headingDegrees = 359.7
            let passed = broadcaster.updates(for: eta, state: &state).compactMap { update in
                if case .vehiclePosition(let vehicle) = update { vehicle } else { nil }
            }
            #expect(passed.map(\.etaSeconds) == [-1])
            #expect(passed.map(\.nextStopID) == ["s"])
            #expect(passed.map(\.lastStopID) == ["s"])
            #expect(passed.map(\.bearingDegrees) == [0])
        }
    }

    @Test("the ETA of a bus is relative to the time of its position")
    func vehicleEta() {
        var (state, at) = started()
        let silent = record(at: at + 40, fixedAt: at, eta: 500, kind: .transit)
        for case .vehiclePosition(let vehicle) in broadcaster.updates(for: silent, state: &state) {
            #expect(vehicle.at == Town.time(at))
            #expect(vehicle.etaSeconds == 540)
        }
    }
}
