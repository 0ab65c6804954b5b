import Domain

/// Type of an update in `rider.updates`.
package enum RiderUpdateType: UInt8, Sendable, CaseIterable {
    case driverLocation, etaUpdate, tripStateChanged, vehiclePosition, notification, vehicleLeft

    package var code: StaticString {
        switch self {
        case .driverLocation: "driver_location"
        case .etaUpdate: "eta_update"
        case .tripStateChanged: "trip_state_changed"
        case .vehiclePosition: "vehicle_position"
        case .notification: "notification"
        case .vehicleLeft: "vehicle_left"
        }
    }

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

extension RiderUpdateType: WireCode { static let every = Array(allCases) }
