/// Which of the two forms of a raw record a device speaks.
package enum Dialect: UInt8, Sendable, CaseIterable {
    /// `{"type":"location","payload":{…}}`, as ride-hailing apps send it.
    case rideshare
    /// `{"type":"location_update","coordinate":{…},"accuracy":{…}}`, the mobile model.
    case mobile
}
