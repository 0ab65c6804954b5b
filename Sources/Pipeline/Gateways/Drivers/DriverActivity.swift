import Bytes
import Tracking

/// What a connected device has said of its driver's trips, speed and battery, for the advice on sampling.
///
/// Trips are known from the device's own `trip_status` alone.
package struct DriverActivity: Sendable {
    /// A driver has one trip and the next one; a device that names more has some that ended unheard.
    private static let maximumTrips = 4

    /// The trips that have not ended, the one named last at the end.
    private var trips: [(id: String, state: TripState)] = []
    private var standingSince: Timestamp?
    private var speedMetersPerSecond: Double?
    private var batteryPercent: Int?
    private var isCharging: Bool?

    /// - Parameter state: where the trip is that the device had before it connected; `nil` for none.
    package init(_ state: TripState? = nil) {
        // No trip has this id. The first status that the device sends is of the same trip, as far as is known.
        if let state { trips = [("", state)] }
    }

    /// Notes locations that were received at `time`, by a clock that does not go back.
    package mutating func note(_ locations: DeviceLocations, at time: Timestamp) {
        speedMetersPerSecond = locations.speedMetersPerSecond ?? speedMetersPerSecond
        batteryPercent = locations.batteryPercent ?? batteryPercent
        isCharging = locations.isCharging ?? isCharging
        guard let speed = locations.speedMetersPerSecond else { return }
        if speed >= SamplingAdvice.movingMetersPerSecond {
            standingSince = nil
        } else if standingSince == nil {
            standingSince = time
        }
    }

    /// Notes what the device has said of a trip.
    package mutating func note(tripID: String, _ state: TripState) {
        trips.removeAll { $0.id == tripID || $0.id.isEmpty }
        standingSince = nil
        guard state != .completed, state != .cancelled else { return }
        if trips.count == Self.maximumTrips { trips.removeFirst() }
        trips.append((tripID, state))
    }

    /// What the advice depends on at `time`.
    package func conditions(at time: Timestamp) -> SamplingConditions {
        let trip = trip
        let idle = trip == .none ? standingSince.map { max(0, time.milliseconds - $0.milliseconds) } ?? 0 : 0
        return SamplingConditions(
            trip: trip, idleSeconds: Double(idle) / 1000, speedMetersPerSecond: speedMetersPerSecond,
            batteryPercent: batteryPercent, isCharging: isCharging)
    }

    /// Of a trip and the next one, the trip with a rider counts.
    private var trip: SamplingConditions.Trip {
        let kinds = trips.map { SamplingConditions.Trip($0.state) }
        return kinds.contains(.onTrip) ? .onTrip : kinds.contains(.toPickup) ? .toPickup : .none
    }
}
