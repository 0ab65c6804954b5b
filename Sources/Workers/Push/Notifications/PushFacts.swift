import Domain
import Foundation

/// Values of the placeholders in templates; unknown ones are absent.
package struct PushFacts: Sendable, Equatable {
    /// All placeholders.
    package static let names = ["driver", "color", "make", "model", "plate", "minutes"]
    /// Length to which a value is truncated, in bytes.
    static let maximumBytes = 64

    package private(set) var values: [String: String] = [:]

    package init(_ facts: [String: String] = [:]) {
        for (name, value) in facts { set(name, value) }
    }

    /// Extracts the values of a notification: facts of the trip service, and the change of the arrival in minutes.
    ///
    /// Facts are `driver{first_name, vehicle{make, model, color, license_plate}}`; `vehicle` may also be at the top level.
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

    /// Stores a text without control characters, in one line; ignores other values.
    private mutating func set(_ name: String, _ value: Any?) {
        guard let text = value as? String else { return }
        let visible = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        let line = String(String.UnicodeScalarView(visible)).trimmingCharacters(in: .whitespacesAndNewlines)
        let short = PushText.prefix(of: line, bytes: Self.maximumBytes)
        if !short.isEmpty { values[name] = short }
    }
}
