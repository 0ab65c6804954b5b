import Domain

/// Event of a trip that has texts; the raw value is the name in template files.
package enum PushMoment: String, Sendable, CaseIterable {
    case driverAccepted = "driver_accepted"
    case driverArrived = "driver_arrived"
    case tripStarted = "trip_started"
    case tripCompleted = "trip_completed"
    /// Another driver is being searched for.
    case driverCancelled = "driver_cancelled"
    /// Cancelled by neither the driver nor the rider.
    case tripCancelled = "trip_cancelled"
    /// A request ended before a driver was found.
    case noDriverFound = "no_driver_found"
    case etaLater = "eta_later"
    case etaSooner = "eta_sooner"

    /// The moment whose texts replace missing ones in a language.
    var substitute: PushMoment { self == .noDriverFound ? .tripCancelled : self }

    /// Returns the moment of a notification; `nil` for a trip that the rider cancelled.
    init?(_ notification: RiderUpdate.Notification) {
        switch notification.kind {
        case .driverAccepted: self = .driverAccepted
        case .driverArrived: self = .driverArrived
        case .tripStarted: self = .tripStarted
        case .tripCompleted: self = .tripCompleted
        case .tripCancelled:
            switch notification.triggeredBy {
            case "DRIVER": self = .driverCancelled
            case "RIDER": return nil
            default: self = .tripCancelled
            }
        case .etaMoved: self = (notification.etaChangeSeconds ?? 0) < 0 ? .etaSooner : .etaLater
        }
    }
}
