import Model
import Support

/// What is true of a fix that a device reported.
package struct FixTruth: Sendable, Equatable {
    package var driverID: String
    package var sessionID: String
    package var sequence: Int64
    /// Where the vehicle was, whatever the device said.
    package var coordinate: Coordinate
    /// When it was there.
    package var takenAt: Timestamp
    /// What the device said.
    package var reported: Coordinate
    /// The accuracy the device said, in metres.
    package var reportedAccuracyMeters: Double?
    /// Whether the driver made something of it up.
    package var isForged: Bool
    package var isOnTrip: Bool
    /// `nil` where they are unknown, as in a recording.
    package var conditions: MeasuringConditions?

    package init(
        driverID: String, sessionID: String, sequence: Int64, coordinate: Coordinate, takenAt: Timestamp,
        reported: Coordinate, reportedAccuracyMeters: Double? = nil, isForged: Bool = false, isOnTrip: Bool = true,
        conditions: MeasuringConditions? = nil
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

/// A stretch of time in which a driver cheats.
package struct CheatWindow: Sendable, Equatable {
    package var from: Timestamp
    /// `nil` while it lasts.
    package var to: Timestamp?
    /// Forged fixes sent in it.
    package var forgedFixes = 0
}

/// What is true of a driver.
package struct DriverTruth: Sendable, Equatable {
    package var driverID: String
    /// `nil` for an honest driver.
    package var cheat: CheatKind?
    /// When the driver cheated, oldest first.
    package var windows: [CheatWindow] = []
    package var isTransit = false
    package var receiver = ReceiverKind.phone
    package var variant = DeviceVariant.usual
}

/// What is true of a trip.
package struct TripTruth: Sendable, Equatable {
    package struct Stop: Sendable, Equatable {
        package var id: String
        /// When the vehicle came to stand there; `nil` until it does.
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
    /// The last state reached.
    package var state: TripState

    package init(tripID: String, driverID: String, kind: TripMessage.Kind, stops: [Stop], state: TripState) {
        self.tripID = tripID
        self.driverID = driverID
        self.kind = kind
        self.stops = stops
        self.state = state
    }
}

/// How much a fleet has done since its start.
package struct FleetStatistics: Sendable, Equatable {
    /// Fixes taken, sent or not.
    package var fixes = 0
    /// Fixes that never arrive.
    package var lostFixes = 0
    /// Records sent a second time.
    package var repeatedRecords = 0
    /// Records held up so long that later ones overtake them.
    package var heldUpRecords = 0
    /// Uploads of several fixes after a tunnel.
    package var batches = 0
    package var tripMessages = 0
}
