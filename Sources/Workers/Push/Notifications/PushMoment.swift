import Model

/// What a text is written for: the name of its templates.
package enum PushMoment: String, Sendable, CaseIterable {
    case driverAccepted = "driver_accepted"
    case driverArrived = "driver_arrived"
    case tripStarted = "trip_started"
    case tripCompleted = "trip_completed"
    /// Another driver is sought.
    case driverCancelled = "driver_cancelled"
    /// Neither the driver nor the rider did.
    case tripCancelled = "trip_cancelled"
    /// A request ended before a driver was found.
    case noDriverFound = "no_driver_found"
    case etaLater = "eta_later"
    case etaSooner = "eta_sooner"

    /// The moment whose texts are used in a language that has none for this one.
    var substitute: PushMoment { self == .noDriverFound ? .tripCancelled : self }

    /// The moment of a notification; `nil` where the rider caused it and needs no text.
    init?(_ notification: RiderUpdate.Notification) {
        switch notification.moment {
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
