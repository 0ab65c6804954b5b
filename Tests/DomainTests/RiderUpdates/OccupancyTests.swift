import Testing

@testable import Domain

@Suite("Occupancy that is no longer reported")
struct OccupancyTests {
    private func drive(_ trip: ActiveTrip, at seconds: Double, occupancy: Int?) -> TripEta {
        trip.update(
            position: Town.position(seconds, 0, heading: 90, at: seconds), isHalted: false, confidence: .high,
            occupancyPercent: occupancy, at: Town.time(seconds))
        return trip.eta(at: Town.time(seconds))
    }

    private func levels(_ updates: [RiderUpdate]) -> [RiderUpdate.VehiclePosition.Occupancy] {
        updates.compactMap { if case .vehiclePosition(let vehicle) = $0 { vehicle.occupancy } else { nil } }
    }

    @Test(
        "occupancy is unknown from 300 s after the last report",
        arguments: [(299.9, 100), (300, nil), (300.1, nil)] as [(Double, Int?)])
    func age(seconds: Double, expected: Int?) {
        let trip = ActiveTrip(Town.run())
        #expect(drive(trip, at: 0, occupancy: 100).occupancyPercent == 100)
        #expect(drive(trip, at: seconds, occupancy: nil).occupancyPercent == expected)
    }

    @Test("occupancy is known again after a new report, and unknown without reports")
    func again() {
        let trip = ActiveTrip(Town.run())
        #expect(drive(trip, at: 0, occupancy: nil).occupancyPercent == nil)
        _ = drive(trip, at: 4, occupancy: 100)
        #expect(drive(trip, at: 500, occupancy: nil).occupancyPercent == nil)
        #expect(drive(trip, at: 504, occupancy: 20).occupancyPercent == 20)
    }

    @Test("a position is sent when the occupancy becomes unknown during silence")
    func silence() throws {
        let trip = ActiveTrip(Town.run())
        let broadcaster = Broadcaster()
        var state = BroadcastState()
        #expect(levels(broadcaster.updates(for: drive(trip, at: 0, occupancy: 100), state: &state)) == [.full])
        var sent: [(at: Double, level: RiderUpdate.VehiclePosition.Occupancy)] = []
        for seconds in stride(from: 5.0, through: 600, by: 5) {
            guard let eta = trip.punctuate(at: Town.time(seconds)) else { continue }
            for level in levels(broadcaster.updates(for: eta, state: &state)) { sent.append((seconds, level)) }
        }
        // A position is sent when the vehicle is silent, when it is stale, and when its occupancy becomes unknown.
        #expect(sent.map(\.level) == [.full, .full, .unknown])
        #expect(sent.last?.at == 300)
    }

    @Test("occupancy becomes unknown with the next position of a vehicle that continues to send")
    func positions() {
        let trip = ActiveTrip(Town.run())
        let broadcaster = Broadcaster()
        var state = BroadcastState()
        _ = broadcaster.updates(for: drive(trip, at: 0, occupancy: 85), state: &state)
        var sent: [RiderUpdate.VehiclePosition.Occupancy] = []
        for seconds in stride(from: 4.0, through: 308, by: 4) {
            sent += levels(broadcaster.updates(for: drive(trip, at: seconds, occupancy: nil), state: &state))
        }
        #expect(sent.prefix(74).allSatisfy { $0 == .standing } && sent.suffix(3).allSatisfy { $0 == .unknown })
    }

    @Test("occupancy of a restored trip becomes unknown at the same time")
    func restored() {
        let trip = ActiveTrip(Town.run())
        _ = drive(trip, at: 0, occupancy: 100)
        let again = ActiveTrip(Town.run())
        #expect(trip.encoded.withUnsafeBytes { again.restoreProgress($0) })
        for seconds in [299.0, 300] {
            #expect(drive(trip, at: seconds, occupancy: nil) == drive(again, at: seconds, occupancy: nil))
        }
    }
}
