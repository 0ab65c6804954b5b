import Testing

@testable import Domain

/// Silent vehicles and provisional positions.
@Suite struct SilenceTests {
    private func update(
        _ trip: ActiveTrip, fixedAt: Double, at seconds: Double, hasLaterFix: Bool = false
    ) -> TripEta {
        trip.update(
            position: Town.position(fixedAt * 10, 0, heading: 90, at: fixedAt), isHalted: false, confidence: .high,
            occupancyPercent: nil, hasLaterFix: hasLaterFix, at: Town.time(seconds))
        return trip.eta(at: Town.time(seconds))
    }

    @Test("a vehicle is silent 30 s after its last fix", arguments: [(29.999, false), (30, true), (30.001, true)])
    func silent(seconds: Double, isSilent: Bool) {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(0, at: 0)
        #expect(trip.punctuate(at: Town.time(seconds))?.isSilent == (isSilent ? true : nil))
        #expect(trip.eta(at: Town.time(seconds)).isSilent == isSilent)
        #expect(!trip.drive(40, at: seconds + 1).isSilent)
    }

    @Test("a silence is reported once after each position")
    func once() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(0, at: 0)
        #expect(trip.punctuate(at: Town.time(30)) != nil)
        #expect(trip.punctuate(at: Town.time(35)) == nil)
        _ = trip.drive(360, at: 36)
        #expect(trip.punctuate(at: Town.time(65)) == nil)
        #expect(trip.punctuate(at: Town.time(70))?.isSilent == true)
    }

    @Test(
        "a position is provisional if a later fix of its batch follows or it is over 10 s old",
        arguments: [
            (0.2, false, false), (0.2, true, true), (9.999, false, false), (10, false, false), (10.001, false, true),
        ])
    func provisional(age: Double, hasLaterFix: Bool, expected: Bool) {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(0, at: 0)
        #expect(update(trip, fixedAt: 100 - age, at: 100, hasLaterFix: hasLaterFix).isProvisional == expected)
        let repeated = trip.punctuate(at: Town.time(105))
        #expect(repeated.map(\.isProvisional) == (expected ? false : nil))
        #expect(trip.punctuate(at: Town.time(106)) == nil)
    }

    @Test("a provisional position followed by a newer one is not repeated")
    func superseded() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.eta(at: Town.time(0))
        #expect(update(trip, fixedAt: 0, at: 60, hasLaterFix: true).isProvisional)
        #expect(!update(trip, fixedAt: 59, at: 60).isProvisional)
        #expect(trip.punctuate(at: Town.time(65)) == nil)
    }

    @Test("the ETA after a trip message is not provisional")
    func change() {
        let trip = ActiveTrip(Town.ride(.accepted))
        _ = trip.eta(at: Town.time(0))
        #expect(update(trip, fixedAt: 0, at: 60, hasLaterFix: true).isProvisional)
        trip.change(Town.ride(.arrived, version: 2), at: Town.time(61))
        #expect(!trip.eta(at: Town.time(61)).isProvisional)
    }

    @Test("estimates of a stale vehicle are not recorded for comparison with arrivals")
    func staleEstimates() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(0, at: 0)
        _ = trip.eta(at: Town.time(110))
        let recorded = trip.progress.probes
        for seconds in stride(from: 121.0, through: 590, by: 31) { _ = trip.eta(at: Town.time(seconds)) }
        #expect(trip.progress.probes == recorded)
    }

    @Test("progress is restored between a provisional position and its repetition")
    func restore() throws {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = update(trip, fixedAt: 0, at: 60, hasLaterFix: true)
        let restored = ActiveTrip(Town.ride(.inProgress))
        #expect(trip.encoded.withUnsafeBytes { restored.restoreProgress($0) })
        #expect(restored.progress == trip.progress)
        #expect(restored.punctuate(at: Town.time(65)) == trip.punctuate(at: Town.time(65)))
    }

    @Test("the vehicle number is kept when a later message omits it")
    func vehicleNumber() {
        var message = Town.ride(.accepted)
        message.vehicleNumber = "B-XY 12"
        let trip = ActiveTrip(message)
        #expect(trip.eta(at: Town.time(0)).vehicleNumber == "B-XY 12")
        trip.change(Town.ride(.arrived, version: 2), at: Town.time(10))
        #expect(trip.eta(at: Town.time(10)).vehicleNumber == "B-XY 12")
    }
}
