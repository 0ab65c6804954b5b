import Domain
import Foundation

/// Values of the placeholders in templates; unknown values are absent.
struct PushFacts: Sendable, Equatable {
    static let names = ["driver", "color", "make", "model", "plate", "minutes"]
    /// Length to which a value is truncated, in bytes.
    static let maximumBytes = 64

    private(set) var values: [String: String] = [:]

    init(_ facts: [String: String] = [:]) {
        for (name, value) in facts { set(name, value) }
    }

    /// Extracts the values of a notification: facts of the trip service, and the change of the arrival in minutes.
    ///
    /// Facts are `driver{first_name or name, vehicle{make, model, color, license_plate}}`, or a top-level `vehicle`.
    init(_ notification: RiderUpdate.Notification) {
        if let seconds = notification.etaChangeSeconds {
            set("minutes", String(max(1, Int((Double(abs(seconds)) / 60).rounded()))))
        }
        guard let json = notification.factsJSON,
            let facts = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        else { return }
        let driver = facts["driver"] as? [String: Any] ?? [:]
        let vehicle = driver["vehicle"] as? [String: Any] ?? facts["vehicle"] as? [String: Any] ?? [:]
        set("driver", driver["first_name"] ?? driver["name"])
        set("color", vehicle["color"])
        set("make", vehicle["make"])
        set("model", vehicle["model"])
        set("plate", vehicle["license_plate"])
    }

    /// Stores a text without its control characters, truncated; ignores empty texts and other types.
    private mutating func set(_ name: String, _ value: Any?) {
        guard let text = value as? String else { return }
        let visible = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        let line = String(String.UnicodeScalarView(visible)).trimmingCharacters(in: .whitespacesAndNewlines)
        let short = PushText.prefix(of: line, bytes: Self.maximumBytes)
        if !short.isEmpty { values[name] = short }
    }
}

/// Event of a trip that has texts; the raw value is `event_type` in payloads and the key in template files.
enum PushMoment: String, Sendable, CaseIterable {
    case driverAccepted = "driver_accepted"
    case driverArrived = "driver_arrived"
    case tripStarted = "trip_started"
    case tripCompleted = "trip_completed"
    /// Cancelled by the driver; the trip service searches for another driver.
    case driverCancelled = "driver_cancelled"
    /// Cancelled by neither the driver nor the rider.
    case tripCancelled = "trip_cancelled"
    /// A request ended before a driver was found.
    case noDriverFound = "no_driver_found"
    case etaLater = "eta_later"
    case etaSooner = "eta_sooner"

    /// The moment whose texts are used in a language without texts for this one.
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
