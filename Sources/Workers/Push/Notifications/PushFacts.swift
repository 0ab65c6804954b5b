import Foundation
import Model

/// What texts can name, by the names of the templates' placeholders; unknown facts are absent.
package struct PushFacts: Sendable, Equatable {
    /// Every placeholder.
    package static let names = ["driver", "color", "make", "model", "plate", "minutes"]
    /// Bytes of a fact that a text takes; the rest is left out.
    static let maximumBytes = 64

    package private(set) var values: [String: String] = [:]

    /// `facts`: by the names of ``names``.
    package init(_ facts: [String: String] = [:]) {
        for (name, value) in facts { set(name, value) }
    }

    /// The facts of a notification: those of the trip service (`driver{first_name, vehicle{make, model, color,
    /// license_plate}}`; the vehicle may also stand beside the driver), and by how many minutes the arrival moved.
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

    /// Takes what is a text, without control characters and in one line.
    private mutating func set(_ name: String, _ value: Any?) {
        guard let text = value as? String else { return }
        let visible = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        let line = String(String.UnicodeScalarView(visible)).trimmingCharacters(in: .whitespacesAndNewlines)
        let short = PushText.prefix(of: line, bytes: Self.maximumBytes)
        if !short.isEmpty { values[name] = short }
    }
}
