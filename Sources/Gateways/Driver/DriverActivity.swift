import Codec
import Model
import Support

/// What the advice to a device follows from: its driver's trips, and what it has said of its speed, battery and app.
///
/// Trips are those that the pipeline knows. Of a trip that it does not know, such as where there is no trip service, the
/// device's own word counts.
package struct DriverActivity: Sendable {
    /// A driver has one trip and the next one; a device that names more has some that ended unheard.
    private static let maximumTrips = 4

    /// The trips that only the device has named and that have not ended, the one named last at the end.
    private var trips: [(id: String, state: TripState)] = []
    /// The trips that the pipeline knows.
    private var known: [KnownTrips.Trip] = []
    private var standingSince: Timestamp?
    private var speedMetersPerSecond: Double?
    private var pace: DrivingSpeed?
    private var network: NetworkType?
    /// Whether the device's app is in the background.
    package var isInBackground = false
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
        network = locations.network ?? network
        guard let speed = locations.speedMetersPerSecond else { return }
        pace = pace?.next(speed) ?? DrivingSpeed(speed)
        if speed >= SamplingAdvice.movingMetersPerSecond {
            standingSince = nil
        } else if standingSince == nil {
            standingSince = time
        }
    }

    /// Takes over what the pipeline knows of the driver's trips.
    package mutating func follow(_ trips: KnownTrips) {
        self.trips.removeAll { $0.id.isEmpty || trips.contains($0.id) }
        guard trips.open != known else { return }
        known = trips.open
        standingSince = nil
    }

    /// Notes what the device has said of a trip; of one that the pipeline knows, its word is waited for.
    package mutating func note(tripID: String, _ state: TripState) {
        guard !known.contains(where: { $0.id == tripID }) else { return }
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
            trip: trip, idleSeconds: Double(idle) / 1000, speedMetersPerSecond: speedMetersPerSecond, pace: pace,
            isInBackground: isInBackground, network: network, batteryPercent: batteryPercent, isCharging: isCharging)
    }

    /// Of a trip and the next one, the trip with a rider counts.
    private var trip: SamplingConditions.Trip {
        let kinds = (known.map(\.state) + trips.map(\.state)).map { SamplingConditions.Trip($0) }
        return kinds.contains(.onTrip) ? .onTrip : kinds.contains(.toPickup) ? .toPickup : .none
    }
}
