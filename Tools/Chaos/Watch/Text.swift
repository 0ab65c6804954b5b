import Foundation

/// Figures as a person reads them.
enum Text {
    /// `4.1 s`, or `never`.
    static func seconds(_ value: Double?) -> String { value.map { String(format: "%.1f s", $0) } ?? "never" }
}
