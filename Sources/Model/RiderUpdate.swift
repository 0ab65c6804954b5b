import Support

/// One message to those who watch a trip: what the broadcast topic carries, without its id.
///
/// Never the driver's id, accuracy, altitude, battery or risk: a rider has no business with those. What the trip service
/// gives as facts is shown as it is, and on the trip's own channel alone.
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
        /// Expected time to the next update: how long a map should take to move the marker here.
        package var interpolationMilliseconds: Int
        /// When the position was taken, by the server's clock.
        package var fixedAt: Timestamp
        package var isStale: Bool
        /// Age of the position when it was told, rounded down.
        package var staleSeconds: Int

        package init(
            coordinate: Coordinate, headingDegrees: Double?, speedMetersPerSecond: Double,
            interpolationMilliseconds: Int, fixedAt: Timestamp, isStale: Bool, staleSeconds: Int
        ) {
            self.coordinate = coordinate
            self.headingDegrees = headingDegrees
            self.speedMetersPerSecond = speedMetersPerSecond
            self.interpolationMilliseconds = interpolationMilliseconds
            self.fixedAt = fixedAt
            self.isStale = isStale
            self.staleSeconds = staleSeconds
        }
    }

    package struct EtaUpdate: Sendable, Equatable {
        package var computedAt: Timestamp
        /// No position for so long that the ETAs count down from an old one.
        package var isStale = false
        /// Age of the position that the ETAs rest on, at ``computedAt``, rounded down; `nil` without one.
        package var staleSeconds: Int?
        /// The stops as in ``TripEta/stops``, but their seconds count from ``estimatedAt``; pickup and dropoff of a
        /// ride are written under their own names.
        package var stops: [TripEta.Stop]
        package var routePolyline: String?
        package var traffic: TripEta.Traffic

        /// When the ETAs were estimated: of stale ones, when the vehicle was last heard, to the second.
        package var estimatedAt: Timestamp {
            isStale ? computedAt.advanced(bySeconds: -Double(staleSeconds ?? 0)) : computedAt
        }

        package init(
            computedAt: Timestamp, stops: [TripEta.Stop], routePolyline: String? = nil, traffic: TripEta.Traffic
        ) {
            self.computedAt = computedAt
            self.stops = stops
            self.routePolyline = routePolyline
            self.traffic = traffic
        }
    }

    package struct StateChange: Sendable, Equatable {
        package var previousState: TripState?
        package var state: TripState
        package var triggeredBy: String?
        package var changedAt: Timestamp
        package var contextJSON: String?
        /// `pickup` or `dropoff` when arrival was detected and only suggested.
        package var detectedArrivalStopID: String?
        package var stage: TripStage?
        /// Whether another driver has taken the trip over: what was known of the vehicle is void.
        package var isRematched = false
        /// The trip's facts, where a trip message made the change.
        package var factsJSON: String?

        package init(
            previousState: TripState?, state: TripState, triggeredBy: String? = nil, changedAt: Timestamp,
            contextJSON: String? = nil, detectedArrivalStopID: String? = nil, stage: TripStage? = nil,
            isRematched: Bool = false, factsJSON: String? = nil
        ) {
            self.previousState = previousState
            self.state = state
            self.triggeredBy = triggeredBy
            self.changedAt = changedAt
            self.contextJSON = contextJSON
            self.detectedArrivalStopID = detectedArrivalStopID
            self.stage = stage
            self.isRematched = isRematched
            self.factsJSON = factsJSON
        }
    }

    package struct VehiclePosition: Sendable, Equatable {
        package enum Occupancy: UInt8, Sendable, CaseIterable {
            case unknown, manySeats, fewSeats, standing, full
        }

        /// The vehicle's run: the same for all positions of one trip.
        package var streamID: String
        /// As the trip tells it; the trip's id where it does not, and never the driver's.
        package var vehicleNumber: String
        /// Seconds from ``at`` to the next stop; -1 when all are passed, `nil` while they are not known.
        package var etaSeconds: Int?
        /// Bounds of the 80 % interval.
        package var minEtaSeconds: Int?
        package var maxEtaSeconds: Int?
        /// To the next stop.
        package var distanceMeters: Int?
        package var coordinate: Coordinate
        package var isHalted = false
        /// The last stop's when none is ahead.
        package var nextStopID: String
        package var lastStopID: String
        package var passedStopID: String?
        package var passedAt: Timestamp?
        /// In [0, 360).
        package var bearingDegrees: Int?
        package var at: Timestamp
        package var isStale = false
        /// Age of the position when it was told, rounded down.
        package var staleSeconds = 0
        package var occupancy = Occupancy.unknown

        package init(
            streamID: String, vehicleNumber: String, coordinate: Coordinate, nextStopID: String, lastStopID: String,
            at: Timestamp
        ) {
            self.streamID = streamID
            self.vehicleNumber = vehicleNumber
            self.coordinate = coordinate
            self.nextStopID = nextStopID
            self.lastStopID = lastStopID
            self.at = at
        }
    }

    /// A run that has ended: its vehicle is no longer one of the route.
    package struct VehicleLeft: Sendable, Equatable {
        /// As in ``VehiclePosition/streamID``: another run of the same vehicle stays.
        package var streamID: String
        package var vehicleNumber: String
        package var state: TripState
        /// When the run ended, changed its route or lost its vehicle.
        package var at: Timestamp

        package init(streamID: String, vehicleNumber: String, state: TripState, at: Timestamp) {
            self.streamID = streamID
            self.vehicleNumber = vehicleNumber
            self.state = state
            self.at = at
        }
    }

    package struct Notification: Sendable, Equatable {
        package enum Moment: UInt8, Sendable, CaseIterable {
            case driverAccepted, driverArrived, tripStarted, tripCompleted, tripCancelled, etaMoved
        }

        package enum Priority: UInt8, Sendable, CaseIterable {
            case normal, high
        }

        package var moment: Moment
        package var priority: Priority
        /// For ``Moment/etaMoved``: seconds later (positive) or sooner than last notified.
        package var etaChangeSeconds: Int?
        /// Who caused the step of the trip; `nil` for ``Moment/etaMoved``.
        package var triggeredBy: String?
        /// The trip's facts, where a trip message made the moment: a text for people needs no other source.
        package var factsJSON: String?

        package init(
            moment: Moment, priority: Priority, etaChangeSeconds: Int? = nil, triggeredBy: String? = nil,
            factsJSON: String? = nil
        ) {
            self.moment = moment
            self.priority = priority
            self.etaChangeSeconds = etaChangeSeconds
            self.triggeredBy = triggeredBy
            self.factsJSON = factsJSON
        }
    }
}
