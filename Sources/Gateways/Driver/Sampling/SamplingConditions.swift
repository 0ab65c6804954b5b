import Codec
import Domain

/// Conditions that determine the sampling advice.
struct SamplingConditions: Sendable, Equatable {
    enum Trip: Sendable, CaseIterable {
        /// Online without a trip.
        case none
        /// Before the rider is in the vehicle: driving to the pickup or waiting there.
        case toPickup
        /// With the rider.
        case onTrip

        /// Creates the phase of a trip state; `nil` is no trip.
        init(_ state: TripState?) {
            switch state {
            case nil, .requested, .completed, .cancelled: self = .none
            case .accepted, .arrived: self = .toPickup
            case .inProgress: self = .onTrip
            }
        }
    }

    var trip: Trip
    /// Standing time without a trip, in seconds from 0.
    var idleSeconds: Double
    /// Latest speed, in m/s from 0; `nil` if never reported.
    var speedMetersPerSecond: Double?
    /// Speed class, which changes less often than the speed.
    var drivingSpeed: DrivingSpeed
    /// Whether the device's app is in the background.
    var isInBackground: Bool
    /// `nil` if not reported.
    var network: NetworkType?
    /// 0 to 100; `nil` if not reported.
    var batteryPercent: Int?
    /// `nil` if not reported, which counts as not charging.
    var isCharging: Bool?

    init(
        trip: Trip, idleSeconds: Double = 0, speedMetersPerSecond: Double? = nil, drivingSpeed: DrivingSpeed? = nil,
        isInBackground: Bool = false, network: NetworkType? = nil, batteryPercent: Int? = nil, isCharging: Bool? = nil
    ) {
        self.trip = trip
        self.idleSeconds = idleSeconds
        self.speedMetersPerSecond = speedMetersPerSecond
        self.drivingSpeed = drivingSpeed ?? DrivingSpeed(speedMetersPerSecond)
        self.isInBackground = isInBackground
        self.network = network
        self.batteryPercent = batteryPercent
        self.isCharging = isCharging
    }

    func isBatteryBelow(_ percent: Int) -> Bool {
        batteryPercent.map { $0 < percent && isCharging != true } ?? false
    }
}
