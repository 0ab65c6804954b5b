import Domain

package enum RiderUpdateType: UInt8, Sendable, CaseIterable, WireCode {
    case driverLocation, etaUpdate, tripStateChanged, vehiclePosition, notification, vehicleLeft
    package static let codes: [StaticString] = [
        "driver_location", "eta_update", "trip_state_changed", "vehicle_position", "notification", "vehicle_left",
    ]
    package var code: StaticString { Self.codes[Int(rawValue)] }
    static let words = allWords()

    package init(_ update: RiderUpdate) {
        switch update {
        case .driverLocation: self = .driverLocation
        case .eta: self = .etaUpdate
        case .stateChanged: self = .tripStateChanged
        case .vehiclePosition: self = .vehiclePosition
        case .notification: self = .notification
        case .vehicleLeft: self = .vehicleLeft
        }
    }
}
