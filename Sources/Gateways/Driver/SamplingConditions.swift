import Codec
import Model

/// What the advice to a device depends on.
package struct SamplingConditions: Sendable, Equatable {
    package enum Trip: Sendable, CaseIterable {
        /// Online without a trip.
        case none
        /// Before the rider is in the vehicle: on the way to the pickup, or waiting there.
        case toPickup
        /// With the rider.
        case onTrip

        /// Where the trip with this state is; `nil` is no trip.
        package init(_ state: TripState?) {
            switch state {
            case nil, .requested, .completed, .cancelled: self = .none
            case .accepted, .arrived: self = .toPickup
            case .inProgress: self = .onTrip
            }
        }
    }

    package var trip: Trip
    /// For how long the vehicle has stood without a trip, in seconds from 0.
    package var idleSeconds: Double
    /// The newest speed, in m/s from 0; `nil` when the device has not said it.
    package var speedMetersPerSecond: Double?
    /// The step of the speed, which changes less often.
    package var pace: DrivingSpeed
    /// Whether the device's app is in the background.
    package var isInBackground: Bool
    /// `nil` when the device has not said it.
    package var network: NetworkType?
    /// 0 to 100; `nil` when the device has not said it.
    package var batteryPercent: Int?
    /// `nil` when the device has not said it, which counts as not charging.
    package var isCharging: Bool?

    package init(
        trip: Trip, idleSeconds: Double = 0, speedMetersPerSecond: Double? = nil, pace: DrivingSpeed? = nil,
        isInBackground: Bool = false, network: NetworkType? = nil, batteryPercent: Int? = nil, isCharging: Bool? = nil
    ) {
        self.trip = trip
        self.idleSeconds = idleSeconds
        self.speedMetersPerSecond = speedMetersPerSecond
        self.pace = pace ?? DrivingSpeed(speedMetersPerSecond)
        self.isInBackground = isInBackground
        self.network = network
        self.batteryPercent = batteryPercent
        self.isCharging = isCharging
    }

    /// Whether the battery has less than `percent` and is not being charged.
    func isBatteryBelow(_ percent: Int) -> Bool {
        batteryPercent.map { $0 < percent && isCharging != true } ?? false
    }
}
