/// A part of a route and how long it took to drive.
package struct DrivenStretch: Sendable, Equatable {
    package var fromMeters: Double
    package var toMeters: Double
    package var seconds: Double
    /// When its end was reached.
    package var at: Timestamp
}
