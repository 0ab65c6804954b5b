import Codec
import Domain
import Support

/// Driver state that the sampling advice depends on: trips, speed, battery, network and app state.
///
/// Trips of the topic `trips` take precedence. Statuses from the device count only for trips that are not in the
/// topic, for example if there is no trip service.
struct DriverActivity: Sendable {
    /// Maximum number of reported trips; a driver has up to two, but a device may have failed to report ends of trips.
    private static let maximumTrips = 4

    /// Open trips reported only by the device, the latest last.
    private var reported: [(id: String, state: TripState)] = []
    private var known: [KnownTrips.Trip] = []
    private var standingSince: Timestamp?
    /// Latest values of the other conditions.
    private var latest = SamplingConditions(trip: .none)
    var isInBackground = false

    /// Creates the activity of a driver; `state` is the trip state that the device sent on connecting, if any.
    init(_ state: TripState? = nil) {
        // The trip's id is unknown. The first status, or the first trips of the topic, replace this trip.
        if let state { reported = [("", state)] }
    }

    /// Applies locations received at `time`, on a monotonic clock.
    mutating func record(_ locations: DeviceLocations, at time: Timestamp) {
        latest.batteryPercent = locations.batteryPercent ?? latest.batteryPercent
        latest.isCharging = locations.isCharging ?? latest.isCharging
        latest.network = locations.network ?? latest.network
        guard let speed = locations.speedMetersPerSecond else { return }
        latest.speedMetersPerSecond = speed
        latest.steadySpeed = latest.steadySpeed?.next(speed) ?? DrivingSpeed(speed)
        if speed >= SamplingAdvice.movingMetersPerSecond {
            standingSince = nil
        } else if standingSince == nil {
            standingSince = time
        }
    }

    mutating func apply(_ trips: KnownTrips) {
        reported.removeAll { $0.id.isEmpty || trips.contains($0.id) }
        guard trips.open != known else { return }
        known = trips.open
        standingSince = nil
    }

    mutating func record(tripID: String, _ state: TripState) {
        guard !known.contains(where: { $0.id == tripID }) else { return }
        reported.removeAll { $0.id == tripID || $0.id.isEmpty }
        standingSince = nil
        guard state != .completed, state != .cancelled else { return }
        if reported.count == Self.maximumTrips { reported.removeFirst() }
        reported.append((tripID, state))
    }

    func conditions(at time: Timestamp) -> SamplingConditions {
        let phases = (known.map(\.state) + reported.map(\.state)).map { SamplingConditions.Trip($0) }
        var conditions = latest
        conditions.isInBackground = isInBackground
        conditions.trip = phases.contains(.onTrip) ? .onTrip : phases.contains(.toPickup) ? .toPickup : .none
        if conditions.trip == .none, let standingSince {
            conditions.idleSeconds = Double(max(0, time.milliseconds - standingSince.milliseconds)) / 1000
        }
        return conditions
    }
}
