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

    package struct DriverLocation: Sendable, Equatable {
        package var coordinate: Coordinate
        package var headingDegrees: Double?
        package var speedMetersPerSecond: Double
        /// Expected time to the next update: how long a map should take to move the marker here.
        package var interpolationMilliseconds: Int
        package var serverAt: Timestamp
        package var isStale: Bool
        /// Age of the position; 0 while fresh.
        package var staleSeconds: Int

        package init(
            coordinate: Coordinate, headingDegrees: Double?, speedMetersPerSecond: Double,
            interpolationMilliseconds: Int, serverAt: Timestamp, isStale: Bool, staleSeconds: Int
        ) {
            self.coordinate = coordinate
            self.headingDegrees = headingDegrees
            self.speedMetersPerSecond = speedMetersPerSecond
            self.interpolationMilliseconds = interpolationMilliseconds
            self.serverAt = serverAt
            self.isStale = isStale
            self.staleSeconds = staleSeconds
        }
    }

    package struct EtaUpdate: Sendable, Equatable {
        package var computedAt: Timestamp
        /// The stops as in ``TripEta/stops``; pickup and dropoff of a ride are written under their own names.
        package var stops: [TripEta.Stop]
        package var routePolyline: String?
        package var traffic: TripEta.Traffic

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

        package var vehicleNumber: String
        package var etaSeconds: Int?
        package var coordinate: Coordinate
        package var isHalted: Bool
        package var nextStopID: String?
        package var lastStopID: String?
        package var passedStopID: String?
        package var passedAt: Timestamp?
        package var bearingDegrees: Double?
        package var at: Timestamp
        package var isStale: Bool
        package var occupancy: Occupancy

        package init(
            vehicleNumber: String, etaSeconds: Int?, coordinate: Coordinate, isHalted: Bool, nextStopID: String?,
            lastStopID: String?, passedStopID: String?, passedAt: Timestamp?, bearingDegrees: Double?, at: Timestamp,
            isStale: Bool, occupancy: Occupancy
        ) {
            self.vehicleNumber = vehicleNumber
            self.etaSeconds = etaSeconds
            self.coordinate = coordinate
            self.isHalted = isHalted
            self.nextStopID = nextStopID
            self.lastStopID = lastStopID
            self.passedStopID = passedStopID
            self.passedAt = passedAt
            self.bearingDegrees = bearingDegrees
            self.at = at
            self.isStale = isStale
            self.occupancy = occupancy
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
