import Testing

@testable import Domain

@Suite struct PunctuationTests {
    /// Returns the stream times, in seconds, at which punctuations every 5 s return a record.
    private func records(_ trip: ActiveTrip, from start: Int, to end: Int) -> [Int] {
        stride(from: start, through: end, by: 5).filter { trip.punctuate(at: Town.time(Double($0))) != nil }
    }

    @Test("punctuations report silence at 30 s, heartbeats, staleness and the end of ETAs")
    func heartbeatAndStale() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(1500, at: 0)
        #expect(records(trip, from: 5, to: 300) == [30, 90, 125, 185, 245])
        #expect(records(trip, from: 550, to: 700) == [550, 605, 665])
    }

    @Test("punctuations report the start of a halt once")
    func halted() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(1500, speed: 0, at: 0)
        _ = trip.drive(1500, speed: 0, at: 30)
        let records = stride(from: 35, through: 85, by: 5).compactMap { trip.punctuate(at: Town.time(Double($0))) }
        #expect(records.map(\.isHalted) == [true])
        #expect(records.first?.computedAt == Town.time(60))
    }

    @Test("a fix resets the heartbeat")
    func quiet() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        for step in 0..<20 {
            _ = trip.drive(Double(step) * 40, at: Double(step) * 4)
            #expect(trip.punctuate(at: Town.time(Double(step) * 4 + 1)) == nil)
        }
    }

    @Test("heartbeats end two hours after the last fix")
    func silence() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(1500, at: 0)
        let times = records(trip, from: 5, to: 8000)
        #expect((7141...7200).contains(times.last ?? 0))
        #expect(trip.punctuate(at: Town.time(9000)) == nil)
    }

    @Test("a trip without a fix has heartbeats")
    func noFix() {
        let trip = ActiveTrip(Town.ride(.accepted))
        _ = trip.eta(at: Town.time(0))
        #expect(records(trip, from: 5, to: 130) == [60, 120])
    }

    @Test("a punctuation that returns no record does not change the progress")
    func pure() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(1500, at: 0)
        let before = trip.progress
        #expect(trip.punctuate(at: Town.time(29.999)) == nil)
        #expect(trip.progress == before)
    }
}
