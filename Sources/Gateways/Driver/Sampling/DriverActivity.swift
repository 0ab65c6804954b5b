import Codec
import Domain
import Support

/// Driver state that the sampling advice depends on: trips, speed, battery, network and app state.
///
/// Trips of the topic `trips` take precedence. Statuses from the device count only for trips that are not in the
/// topic, for example if there is no trip service.
struct DriverActivity: Sendable {
    /// A driver has at most a current and a next trip; a device that reports more has not reported some ends.
    private static let maximumTrips = 4

    /// Open trips reported only by the device, the latest last.
    private var reported: [(id: String, state: TripState)] = []
    private var known: [KnownTrips.Trip] = []
    private var standingSince: Timestamp?
    private var speedMetersPerSecond: Double?
    private var drivingSpeed: DrivingSpeed?
    private var network: NetworkType?
    var isInBackground = false
    private var batteryPercent: Int?
    private var isCharging: Bool?

    /// Creates the activity of a driver; `state` is the trip state that the device sent on connecting, if any.
    init(_ state: TripState? = nil) {
        // The trip's id is unknown. The first status or the first known trips replace this trip.
        if let state { reported = [("", state)] }
    }

    /// Applies locations received at `time`, on a monotonic clock.
    mutating func record(_ locations: DeviceLocations, at time: Timestamp) {
        speedMetersPerSecond = locations.speedMetersPerSecond ?? speedMetersPerSecond
        batteryPercent = locations.batteryPercent ?? batteryPercent
        isCharging = locations.isCharging ?? isCharging
        network = locations.network ?? network
        guard let speed = locations.speedMetersPerSecond else { return }
        drivingSpeed = drivingSpeed?.next(speed) ?? DrivingSpeed(speed)
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
        let trip = trip
        let idle = trip == .none ? standingSince.map { max(0, time.milliseconds - $0.milliseconds) } ?? 0 : 0
        return SamplingConditions(
            trip: trip, idleSeconds: Double(idle) / 1000, speedMetersPerSecond: speedMetersPerSecond,
            steadySpeed: drivingSpeed, isInBackground: isInBackground, network: network,
            batteryPercent: batteryPercent, isCharging: isCharging)
    }

    private var trip: SamplingConditions.Trip {
        let kinds = (known.map(\.state) + reported.map(\.state)).map { SamplingConditions.Trip($0) }
        return kinds.contains(.onTrip) ? .onTrip : kinds.contains(.toPickup) ? .toPickup : .none
    }
}
