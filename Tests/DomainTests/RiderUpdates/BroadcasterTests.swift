import TestSupport
import Testing

@testable import Domain

@Suite struct BroadcasterTests {
    private let broadcaster = Broadcaster()

    /// Returns a record of a ride at stream time `seconds`, with the dropoff `eta` seconds ahead.
    private func record(
        _ state: TripState = .inProgress, at seconds: Double, eta: Double = 600, fixedAt: Double? = nil,
        isStale: Bool = false, delay: TripEta.Delay = .onTime, confidence: Confidence = .high
    ) -> TripEta {
        var record = TripEta(tripID: "t", driverID: "d", kind: .ride, state: state, computedAt: Town.time(seconds))
        record.position = Town.position(0, 0, heading: 90, at: fixedAt ?? seconds)
        record.isStale = isStale
        var pickup = TripEta.Stop(id: "pickup", kind: .pickup, status: .passed)
        pickup.seconds = -1
        var stop = TripEta.Stop(id: "dropoff", kind: .dropoff, status: .valid, delay: delay)
        stop.seconds = Int(eta)
        stop.arrivesAt = Town.time(seconds + eta)
        stop.confidence = confidence
        record.stops = [pickup, stop]
        return record
    }

    private func kinds(_ updates: [RiderUpdate]) -> [String] {
        updates.map { update in
            switch update {
            case .driverLocation(let location): location.isStale ? "stale location" : "location"
            case .eta: "eta"
            case .stateChanged(let change):
                change.detectedArrivalStopID.map { "detected \($0)" } ?? "\(change.state.code)"
            case .vehiclePosition: "vehicle"
            case .vehicleLeft: "left"
            case .notification(let notification): "notification \(notification.kind)"
            }
        }
    }

    private func started(at seconds: Double = 0, eta: Double = 600) -> BroadcastState {
        var state = BroadcastState()
        _ = broadcaster.updates(for: record(at: seconds, eta: eta), state: &state)
        return state
    }

    @Test("the first record sends state, position and ETA")
    func first() {
        var state = BroadcastState()
        var eta = record(.accepted, at: 0)
        eta.change = TripEta.Change(previousState: nil, changedAt: Town.time(0))
        let updates = broadcaster.updates(for: eta, state: &state)
        #expect(kinds(updates) == ["ACCEPTED", "notification driverAccepted", "location", "eta"])
    }

    @Test("a trip without stored state is sent without notifications of earlier changes")
    func middle() {
        var state = BroadcastState()
        #expect(kinds(broadcaster.updates(for: record(at: 0), state: &state)) == ["IN_PROGRESS", "location", "eta"])
        var update = record(at: 0)
        update.change = TripEta.Change(previousState: .inProgress, changedAt: Town.time(0))
        state = BroadcastState()
        #expect(kinds(broadcaster.updates(for: update, state: &state)) == ["IN_PROGRESS", "location", "eta"])
    }

    @Test("positions are sent once per second, and a punctuation sends the last skipped position once")
    func rate() {
        var state = started()
        var sent = 0
        for step in 1...100 {
            let updates = broadcaster.updates(
                for: record(at: Double(step) / 10, eta: 600 - Double(step) / 10), state: &state)
            sent += kinds(updates).filter { $0 == "location" }.count
        }
        #expect(sent == 10)
        let punctuation = broadcaster.updates(for: record(at: 15, eta: 595, fixedAt: 10), state: &state)
        #expect(kinds(punctuation) == ["location"])
        for case .driverLocation(let location) in punctuation { #expect(location.fixedAt == Town.time(10)) }
        #expect(broadcaster.updates(for: record(at: 20, eta: 590, fixedAt: 10), state: &state).isEmpty)
    }

    @Test("positions that are slightly early are sent")
    func jitter() {
        var state = started()
        var sent = 0
        for step in 1...60 {
            let at = Double(step) + (step % 2 == 0 ? 0.05 : -0.05)
            sent +=
                kinds(broadcaster.updates(for: record(at: at, eta: 600 - at), state: &state))
                .filter { $0 == "location" }.count
        }
        #expect(sent == 60)
    }

    @Test(
        "the interpolation time is the interval between positions, from a second to a minute",
        arguments: [(0.1, 1000), (1.0, 1000), (2, 2000), (4, 4000), (30, 30_000), (60, 60_000), (61, 60_000)])
    func interpolationTime(interval: Double, expected: Int) {
        var state = started()
        var milliseconds = 0
        for step in 1...12 {
            let at = Double(step) * interval + (step == 6 ? 0.03 : 0)
            for case .driverLocation(let location) in broadcaster.updates(for: record(at: at), state: &state) {
                milliseconds = location.interpolationMilliseconds
            }
        }
        #expect(milliseconds == expected)
    }

    @Test("the median of the last eight intervals is the lower middle one if their number is even")
    func median() {
        var ring = BroadcastState.InlineIntervals()
        #expect(ring.median == nil)
        for (value, expected) in [(5, 5), (1, 1), (9, 5), (9, 5), (9, 9)] as [(Int32, Int32)] {
            ring.add(value)
            #expect(ring.median == expected)
        }
        for _ in 0..<20 { ring.add(7) }
        #expect(ring.median == 7)
        #expect(ring.median(ofLast: 3) == 7)
        for value in [30, 4, 31] as [Int32] { ring.add(value) }
        #expect(ring.median == 7)
        #expect(ring.median(ofLast: 1) == 31)
        #expect(ring.median(ofLast: 2) == 4)
        #expect(ring.median(ofLast: 3) == 30)
        #expect(BroadcastState.InlineIntervals().median(ofLast: 3) == nil)
    }

    @Test(
        "an ETA is sent again if it moved by more than 30 s and more than 10 % of the remaining time",
        arguments: [
            (120.0, -30.0, false), (120, -31, true), (600, -53, false), (600, -67, true), (600, 65, false),
            (600, 66, true),
        ])
    func moved(eta: Double, by: Double, expected: Bool) {
        var state = started(eta: eta)
        // Ten seconds later, the ETA is ten seconds shorter and moved by `by`.
        let updates = broadcaster.updates(for: record(at: 10, eta: eta - 10 + by), state: &state)
        #expect(kinds(updates).contains("eta") == expected)
    }

    @Test("an increase under 60 s is sent after a second record confirms it")
    func confirmation() {
        var state = started(eta: 200)
        #expect(!kinds(broadcaster.updates(for: record(at: 10, eta: 230), state: &state)).contains("eta"))
        #expect(kinds(broadcaster.updates(for: record(at: 14, eta: 226), state: &state)).contains("eta"))
        // A decrease in between restarts the count.
        state = started(eta: 200)
        #expect(!kinds(broadcaster.updates(for: record(at: 10, eta: 230), state: &state)).contains("eta"))
        #expect(!kinds(broadcaster.updates(for: record(at: 14, eta: 186), state: &state)).contains("eta"))
        #expect(!kinds(broadcaster.updates(for: record(at: 18, eta: 222), state: &state)).contains("eta"))
        // An increase of 60 s or more is sent at once.
        state = started(eta: 200)
        #expect(kinds(broadcaster.updates(for: record(at: 10, eta: 250), state: &state)).contains("eta"))
    }

    @Test("ETAs are refreshed after 60 s", arguments: [(59.0, false), (60.0, true)])
    func refresh(seconds: Double, expected: Bool) {
        var state = started()
        let updates = broadcaster.updates(for: record(at: seconds, eta: 600 - seconds), state: &state)
        #expect(kinds(updates).contains("eta") == expected)
    }

    @Test("changed delay flag, status or lower confidence is sent at once, changed traffic is not")
    func flags() {
        var state = started()
        #expect(kinds(broadcaster.updates(for: record(at: 2, eta: 598), state: &state)) == ["location"])
        let delayed = record(at: 4, eta: 596, delay: .delayed)
        #expect(kinds(broadcaster.updates(for: delayed, state: &state)).contains("eta"))
        let unsure = record(at: 6, eta: 594, delay: .delayed, confidence: .medium)
        #expect(kinds(broadcaster.updates(for: unsure, state: &state)).contains("eta"))
        var heavy = record(at: 8, eta: 592, delay: .delayed, confidence: .medium)
        heavy.traffic = .heavy
        #expect(!kinds(broadcaster.updates(for: heavy, state: &state)).contains("eta"))
        var gone = heavy
        gone.computedAt = Town.time(10)
        gone.stops[1].status = .unavailable
        gone.stops[1].arrivesAt = nil
        #expect(kinds(broadcaster.updates(for: gone, state: &state)).contains("eta"))
    }

    @Test("higher confidence alone sends no ETA")
    func higherConfidence() {
        var state = BroadcastState()
        _ = broadcaster.updates(for: record(at: 0, confidence: .medium), state: &state)
        #expect(kinds(broadcaster.updates(for: record(at: 4, eta: 596), state: &state)) == ["location"])
    }

    @Test("ETAs are refreshed only with a new position")
    func noRefresh() {
        var state = started()
        let punctuation = record(at: 90, eta: 510, fixedAt: 0)
        #expect(!kinds(broadcaster.updates(for: punctuation, state: &state)).contains("eta"))
        #expect(kinds(broadcaster.updates(for: record(at: 91, eta: 509), state: &state)).contains("eta"))
    }

    @Test(
        "ETAs of a vehicle with long intervals are refreshed after three intervals",
        arguments: [(30.0, 90.0), (20, 60)])
    func rhythm(interval: Double, expected: Double) {
        var state = started(eta: 1500)
        var sent: [Double] = []
        for step in 1...30 {
            let at = Double(step) * interval
            let updates = broadcaster.updates(for: record(at: at, eta: 1500 - at), state: &state)
            if kinds(updates).contains("eta") { sent.append(at) }
        }
        let last = zip(sent, sent.dropFirst()).map { $1 - $0 }.suffix(4)
        #expect(last.count == 4 && last.allSatisfy { $0 == expected })
    }

    /// Returns a record of a run with the seconds to each stop, negative after its passing.
    private func run(at seconds: Double, stops: [Double], delay: [TripEta.Delay] = []) -> TripEta {
        var record = TripEta(
            tripID: "t", driverID: "d", kind: .transit, state: .inProgress, computedAt: Town.time(seconds))
        record.position = Town.position(0, 0, heading: 90, at: seconds)
        record.stops = stops.enumerated().map { index, eta in
            var stop = TripEta.Stop(
                id: "s\(index)", kind: .stop, status: eta < 0 ? .passed : .valid,
                delay: index < delay.count ? delay[index] : .onTime)
            stop.seconds = eta < 0 ? -1 : Int(eta)
            stop.arrivesAt = Town.time(seconds + eta)
            stop.confidence = eta < 0 ? nil : .high
            return stop
        }
        return record
    }

    @Test(
        "a stop passed over 30 s early is sent, a stop passed on time is not",
        arguments: [(-5.0, false), (-20, false), (-30, false), (-31, true)])
    func passing(by early: Double, expected: Bool) {
        var state = BroadcastState()
        _ = broadcaster.updates(for: run(at: 0, stops: [50, 200]), state: &state)
        // Passed at 50 s + `early`, received ten seconds later.
        let passedAt = 50 + early
        let now = passedAt + 10
        let updates = broadcaster.updates(for: run(at: now, stops: [passedAt - now, 200 - now]), state: &state)
        #expect(kinds(updates).contains("eta") == expected)
    }

    @Test(
        "a changed delay flag is sent at once within 5 minutes of the stop",
        arguments: [(299.0, true), (300, true), (301, false)])
    func farFlags(eta: Double, expected: Bool) {
        var state = BroadcastState()
        _ = broadcaster.updates(for: run(at: 0, stops: [50, eta + 10]), state: &state)
        let updates = broadcaster.updates(
            for: run(at: 10, stops: [40, eta], delay: [.onTime, .delayed]), state: &state)
        #expect(kinds(updates).contains("eta") == expected)
    }

    @Test("staleness is sent once when it begins and once when it ends")
    func stale() {
        var state = started()
        let begin = broadcaster.updates(for: record(at: 125, eta: 475, fixedAt: 0, isStale: true), state: &state)
        #expect(kinds(begin).contains("stale location"))
        for case .driverLocation(let location) in begin { #expect(location.staleSeconds == 125) }
        let more = broadcaster.updates(for: record(at: 185, eta: 415, fixedAt: 0, isStale: true), state: &state)
        #expect(!kinds(more).contains("stale location"))
        let end = broadcaster.updates(for: record(at: 190, eta: 410), state: &state)
        #expect(kinds(end).filter { $0 == "location" }.count == 1)
    }

    @Test("each change of state is sent with its notification, and nothing is sent after the end")
    func lifecycle() {
        var state = BroadcastState()
        var sent: [String] = []
        for (step, trip) in [TripState.requested, .accepted, .arrived, .inProgress, .completed].enumerated() {
            var eta = record(trip, at: Double(step) * 100)
            eta.change = TripEta.Change(
                previousState: nil, triggeredBy: "DRIVER", changedAt: Town.time(Double(step) * 100))
            sent += kinds(broadcaster.updates(for: eta, state: &state)).filter { $0 != "eta" }
        }
        #expect(
            sent == [
                "REQUESTED", "ACCEPTED", "notification driverAccepted", "location", "ARRIVED",
                "notification driverArrived", "location", "IN_PROGRESS", "notification tripStarted", "location",
                "COMPLETED", "notification tripCompleted",
            ])
        #expect(broadcaster.updates(for: record(.completed, at: 600), state: &state).isEmpty)
        #expect(broadcaster.updates(for: record(.inProgress, at: 700), state: &state).isEmpty)
    }

    @Test("a cancellation is notified with high priority")
    func cancelled() {
        var state = started()
        let updates = broadcaster.updates(for: record(.cancelled, at: 10), state: &state)
        #expect(kinds(updates) == ["CANCELLED", "notification tripCancelled"])
        for case .notification(let notification) in updates { #expect(notification.priority == .high) }
    }

    @Test("no position is sent before the ride is accepted")
    func hidden() {
        var state = BroadcastState()
        let updates = broadcaster.updates(for: record(.requested, at: 0), state: &state)
        #expect(kinds(updates) == ["REQUESTED", "eta"])
        // At acceptance the last position is sent although it is not new.
        let accepted = broadcaster.updates(for: record(.accepted, at: 5, fixedAt: 0), state: &state)
        #expect(kinds(accepted).contains("location"))
    }

    @Test("a detected arrival is sent once")
    func detected() {
        var state = started()
        var eta = record(at: 10, eta: 590)
        eta.detectedArrivalStopID = "dropoff"
        #expect(kinds(broadcaster.updates(for: eta, state: &state)).contains("detected dropoff"))
        eta.computedAt = Town.time(12)
        #expect(!kinds(broadcaster.updates(for: eta, state: &state)).contains("detected dropoff"))
        eta.detectedArrivalStopID = nil
        _ = broadcaster.updates(for: eta, state: &state)
        eta.detectedArrivalStopID = "dropoff"
        #expect(!kinds(broadcaster.updates(for: eta, state: &state)).contains("detected dropoff"))
    }

    @Test(
        "a change of the arrival by more than five minutes is notified once",
        arguments: [(300.0, false), (301.0, true)])
    func etaMoved(by: Double, expected: Bool) {
        var state = started(eta: 1000)
        let updates = broadcaster.updates(for: record(at: 10, eta: 990 + by), state: &state)
        #expect(kinds(updates).contains("notification etaMoved") == expected)
        for case .notification(let notification) in updates {
            #expect(notification.etaChangeSeconds == Int(by) && notification.priority == .normal)
        }
        let again = broadcaster.updates(for: record(at: 20, eta: 980 + by), state: &state)
        #expect(!kinds(again).contains("notification etaMoved"))
    }

    @Test("a new route is sent with the ETA of its change")
    func polyline() {
        var state = started()
        var eta = record(at: 5, eta: 595)
        eta.change = TripEta.Change(previousState: .inProgress, changedAt: Town.time(5), routePolyline: "new")
        let updates = broadcaster.updates(for: eta, state: &state)
        #expect(kinds(updates) == ["location", "eta"])
        for case .eta(let update) in updates { #expect(update.routePolyline == "new") }
    }

    @Test(
        "a bus is also sent on its route's channel, with its occupancy",
        arguments: [
            (nil, .unknown), (49, .manySeats), (50, .fewSeats), (79, .fewSeats), (80, .standing), (100, .full),
        ] as [(Int?, RiderUpdate.VehiclePosition.Occupancy)])
    func vehicle(percent: Int?, expected: RiderUpdate.VehiclePosition.Occupancy) {
        var state = BroadcastState()
        var eta = record(at: 0)
        eta.kind = .transit
        eta.routeID = "R1"
        eta.nextStopID = "dropoff"
        eta.occupancyPercent = percent
        let updates = broadcaster.updates(for: eta, state: &state)
        #expect(kinds(updates) == ["IN_PROGRESS", "location", "vehicle", "eta"])
        for case .vehiclePosition(let vehicle) in updates {
            #expect(vehicle.occupancy == expected)
            #expect(vehicle.etaSeconds == 600)
            #expect(vehicle.vehicleNumber == "t")
        }
    }

    @Test(
        "a state restored before every record gives the same updates as an uninterrupted state",
        arguments: 1...10 as ClosedRange<UInt64>)
    func restart(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let trip = ActiveTrip(Town.ride(.accepted))
        var steady = BroadcastState()
        var restored = BroadcastState()
        var at = 0.0
        var along = -800.0
        for step in 0..<300 {
            at += [0.4, 1, 4, 4, 20, 130].randomElement(using: &random) ?? 4
            let speed = Double.random(in: 0...14, using: &random)
            along = min(2990, along + speed * 4)
            if step == 60 { trip.change(Town.ride(.arrived, version: 2), at: Town.time(at)) }
            if step == 100 { trip.change(Town.ride(.inProgress, version: 3), at: Town.time(at)) }
            if step == 290 { trip.change(Town.ride(.completed, version: 4), at: Town.time(at)) }
            let isPunctuation = Double.random(in: 0..<1, using: &random) < 0.3
            guard let eta = isPunctuation ? trip.punctuate(at: Town.time(at)) : trip.drive(along, speed: speed, at: at)
            else {
                continue
            }
            let expected = broadcaster.updates(for: eta, state: &steady)
            #expect(broadcaster.updates(for: eta, state: &restored) == expected, "seed \(seed), step \(step)")
            let bytes = [UInt8](unsafeUninitializedCapacity: steady.maximumEncodedByteCount) {
                $1 = steady.encode(into: UnsafeMutableRawBufferPointer($0))
            }
            #expect(bytes.count < 200)
            restored = try #require(bytes.withUnsafeBytes { BroadcastState($0) })
            #expect(restored == steady)
            for length in 0..<bytes.count {
                #expect(bytes.prefix(length).withUnsafeBytes { BroadcastState($0) } == nil)
            }
        }
    }
}
