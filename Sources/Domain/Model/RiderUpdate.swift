import Support

/// One message to the subscribers of a trip or route: a record of `rider.updates` without id and channel.
///
/// The `blank` values are initial values for readers, which overwrite them.
///
/// Excludes driver id, accuracy, altitude, battery and risk for privacy. Facts are sent only on the trip's own channel.
package enum RiderUpdate: Sendable, Equatable {
    case driverLocation(DriverLocation)
    case eta(EtaUpdate)
    case stateChanged(StateChange)
    case vehiclePosition(VehiclePosition)
    case notification(Notification)
    case vehicleLeft(VehicleLeft)

    package struct DriverLocation: Sendable, Equatable {
        package var coordinate: Coordinate
        package var headingDegrees: Double?
        package var speedMetersPerSecond: Double
        /// Expected time to the next update, over which a map should move the marker.
        package var interpolationMilliseconds: Int
        /// Time of the position, in server time.
        package var fixedAt: Timestamp
        package var isStale: Bool
        /// Age of the position when the update was made, rounded down.
        package var staleSeconds: Int

        package static let blank = DriverLocation(
            coordinate: Coordinate(latitude: 0, longitude: 0), speedMetersPerSecond: 0, interpolationMilliseconds: 0,
            fixedAt: Timestamp(milliseconds: 0), isStale: false, staleSeconds: 0)
    }

    package struct EtaUpdate: Sendable, Equatable {
        package var computedAt: Timestamp
        /// Whether the ETAs are based on a stale position.
        package var isStale = false
        /// Age at ``computedAt`` of the position that the ETAs are based on, rounded down; `nil` without a position.
        package var staleSeconds: Int?
        /// Stops as in ``TripEta/stops``, with seconds relative to ``estimatedAt``.
        package var stops: [TripEta.Stop]
        package var routePolyline: String?
        package var traffic: TripEta.Traffic

        package static let blank = EtaUpdate(computedAt: Timestamp(milliseconds: 0), stops: [], traffic: .unknown)

        /// Time from which the ETAs count: ``computedAt``, or the time of the position (to the second) if it is stale.
        package var estimatedAt: Timestamp {
            isStale ? computedAt.advanced(bySeconds: -Double(staleSeconds ?? 0)) : computedAt
        }
    }

    package struct StateChange: Sendable, Equatable {
        package var previousState: TripState?
        package var state: TripState
        package var triggeredBy: String?
        package var changedAt: Timestamp
        package var contextJSON: String?
        /// `pickup` or `dropoff` when arrival was detected; a suggestion, not a state.
        package var detectedArrivalStopID: String?
        package var stage: TripStage?
        /// Whether another driver took over the trip, which invalidates all vehicle data.
        package var isRematched = false
        /// The trip's facts, if a trip message made the change.
        package var factsJSON: String?

        package static let blank = StateChange(state: .requested, changedAt: Timestamp(milliseconds: 0))
    }

    package struct VehiclePosition: Sendable, Equatable {
        package enum Occupancy: UInt8, Sendable, CaseIterable {
            case unknown, manySeats, fewSeats, standing, full
            package static let codes: [StaticString] = ["UNKNOWN", "MANY_SEATS", "FEW_SEATS", "STANDING", "FULL"]
            package var code: StaticString { Self.codes[Int(rawValue)] }
        }

        /// Id of the vehicle's run, the same for all positions of one trip.
        package var streamID: String
        /// The trip's vehicle number, or the trip id if it has none; never the driver id.
        package var vehicleNumber: String
        /// Seconds from ``at`` to the next stop; -1 if all are passed, `nil` if unknown.
        package var etaSeconds: Int?
        /// Bounds of the 80 % interval.
        package var minEtaSeconds: Int?
        package var maxEtaSeconds: Int?
        package var distanceMeters: Int?
        package var coordinate: Coordinate
        package var isHalted = false
        /// The next stop, or the last stop if all are passed.
        package var nextStopID: String
        package var lastStopID: String
        package var passedStopID: String?
        package var passedAt: Timestamp?
        /// Degrees clockwise from north, [0, 360).
        package var bearingDegrees: Int?
        package var at: Timestamp
        package var isStale = false
        /// Age of the position when the update was made, rounded down.
        package var staleSeconds = 0
        package var occupancy = Occupancy.unknown

        package static let blank = VehiclePosition(
            streamID: "", vehicleNumber: "", coordinate: Coordinate(latitude: 0, longitude: 0), nextStopID: "",
            lastStopID: "", at: Timestamp(milliseconds: 0))
    }

    /// Report that a vehicle ended its run or left the route.
    package struct VehicleLeft: Sendable, Equatable {
        /// Id as in ``VehiclePosition/streamID``; other runs of the vehicle are not affected.
        package var streamID: String
        package var vehicleNumber: String
        package var state: TripState
        /// Time at which the run ended, changed its route or lost its vehicle.
        package var at: Timestamp

        package static let blank = VehicleLeft(
            streamID: "", vehicleNumber: "", state: .completed, at: Timestamp(milliseconds: 0))
    }

    package struct Notification: Sendable, Equatable {
        package enum Kind: UInt8, Sendable, CaseIterable {
            case driverAccepted, driverArrived, tripStarted, tripCompleted, tripCancelled, etaMoved
            package static let codes: [StaticString] = [
                "DRIVER_ACCEPTED", "DRIVER_ARRIVED", "TRIP_STARTED", "TRIP_COMPLETED", "TRIP_CANCELLED", "ETA_MOVED",
            ]
            package var code: StaticString { Self.codes[Int(rawValue)] }
        }

        package enum Priority: UInt8, Sendable, CaseIterable {
            case normal, high
            package static let codes: [StaticString] = ["NORMAL", "HIGH"]
            package var code: StaticString { Self.codes[Int(rawValue)] }
        }

        package var kind: Kind
        package var priority: Priority
        /// Change of the ETA since the last notification, positive if later; only for ``Kind/etaMoved``.
        package var etaChangeSeconds: Int?
        /// Originator of the change of state; `nil` for ``Kind/etaMoved``.
        package var triggeredBy: String?
        /// The trip's facts, if a trip message caused the notification; used in its text.
        package var factsJSON: String?

        package static let blank = Notification(kind: .driverAccepted, priority: .normal)
    }
}
