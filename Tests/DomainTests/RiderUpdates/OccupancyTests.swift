import Testing

@testable import ArrivalTimes
@testable import Model
@testable import RiderUpdates

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
        "occupancy is unknown when the last report is 300 s old",
        arguments: [(299.9, 100), (300, nil), (300.1, nil)] as [(Double, Int?)])
    func age(seconds: Double, expected: Int?) {
        let trip = ActiveTrip(Town.run())
        #expect(drive(trip, at: 0, occupancy: 100).occupancyPercent == 100)
        #expect(drive(trip, at: seconds, occupancy: nil).occupancyPercent == expected)
    }

    @Test("a new report is shown again, and a vehicle that never reports is unknown")
    func again() {
        let trip = ActiveTrip(Town.run())
        #expect(drive(trip, at: 0, occupancy: nil).occupancyPercent == nil)
        _ = drive(trip, at: 4, occupancy: 100)
        #expect(drive(trip, at: 500, occupancy: nil).occupancyPercent == nil)
        #expect(drive(trip, at: 504, occupancy: 20).occupancyPercent == 20)
    }

    @Test("riders of the route get the vehicle once more when its occupancy becomes unknown in a silence")
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
        // Silent, stale, and without occupancy.
        #expect(sent.map(\.level) == [.full, .full, .unknown])
        #expect(sent.last?.at == 300)
    }

    @Test("a vehicle that goes on sending positions is unknown from its next position on")
    func positions() {
        let trip = ActiveTrip(Town.run())
        let broadcaster = Broadcaster()
        var state = BroadcastState()
        _ = broadcaster.updates(for: drive(trip, at: 0, occupancy: 85), state: &state)
        var last: [RiderUpdate.VehiclePosition.Occupancy] = []
        for seconds in stride(from: 4.0, through: 308, by: 4) {
            last += levels(broadcaster.updates(for: drive(trip, at: seconds, occupancy: nil), state: &state))
        }
        #expect(last.prefix(74).allSatisfy { $0 == .standing } && last.suffix(3).allSatisfy { $0 == .unknown })
    }

    @Test("a restored trip forgets the occupancy at the same time")
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
