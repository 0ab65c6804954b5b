import Domain
import Support

package struct FixGroundTruth: Sendable, Equatable {
    package var driverID: String
    package var sessionID: String
    package var sequence: Int64
    /// True position of the vehicle.
    package var coordinate: Coordinate
    /// True time of the fix.
    package var takenAt: Timestamp
    /// Position that the device reported.
    package var reported: Coordinate
    /// Accuracy that the device reported, in metres; `nil` if it reported none.
    package var reportedAccuracyMeters: Double?
    /// Whether the driver forged the fix.
    package var isForged: Bool
    package var isOnTrip: Bool
    /// `nil` if unknown, as in a recording.
    package var conditions: ReceptionConditions?

    package init(
        driverID: String, sessionID: String, sequence: Int64, coordinate: Coordinate, takenAt: Timestamp,
        reported: Coordinate, reportedAccuracyMeters: Double? = nil, isForged: Bool = false, isOnTrip: Bool = true,
        conditions: ReceptionConditions? = nil
    ) {
        self.driverID = driverID
        self.sessionID = sessionID
        self.sequence = sequence
        self.coordinate = coordinate
        self.takenAt = takenAt
        self.reported = reported
        self.reportedAccuracyMeters = reportedAccuracyMeters
        self.isForged = isForged
        self.isOnTrip = isOnTrip
        self.conditions = conditions
    }
}

/// A period in which a driver cheats.
package struct CheatWindow: Sendable, Equatable {
    package var from: Timestamp
    /// End of the window; `nil` while it is open.
    package var to: Timestamp?
    package var forgedFixes = 0
}

package struct DriverGroundTruth: Sendable, Equatable {
    package var driverID: String
    /// `nil` for an honest driver.
    package var cheat: CheatKind?
    /// Periods of cheating, oldest first.
    package var windows: [CheatWindow] = []
    package var isTransit = false
    package var receiver = ReceiverKind.phone
    package var variant = DeviceVariant.usual
}

package struct TripGroundTruth: Sendable, Equatable {
    package struct Stop: Sendable, Equatable {
        package var id: String
        /// Time at which the vehicle reached the stop; `nil` before.
        package var arrivedAt: Timestamp?

        package init(id: String, arrivedAt: Timestamp? = nil) {
            self.id = id
            self.arrivedAt = arrivedAt
        }
    }

    package var tripID: String
    package var driverID: String
    package var kind: TripMessage.Kind
    package var stops: [Stop]
    /// Current state; changes while the simulation runs.
    package var state: TripState

    package init(tripID: String, driverID: String, kind: TripMessage.Kind, stops: [Stop], state: TripState) {
        self.tripID = tripID
        self.driverID = driverID
        self.kind = kind
        self.stops = stops
        self.state = state
    }
}
