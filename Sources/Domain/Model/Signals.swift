/// Signals of forgery, as named in `risk_signals`; they add to the driver's risk and may mark the fix.
package struct Signals: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let frozenFields = Signals(rawValue: 1 << 0)
    package static let frozenSpeed = Signals(rawValue: 1 << 1)
    package static let overdueFields = Signals(rawValue: 1 << 2)
    package static let overdueSpeed = Signals(rawValue: 1 << 3)
    // 1 << 4 is unused.
    package static let rhythm = Signals(rawValue: 1 << 5)
    package static let equalSteps = Signals(rawValue: 1 << 6)
    package static let integrity = Signals(rawValue: 1 << 7)
    package static let acceleration = Signals(rawValue: 1 << 8)
    package static let sequenceReplay = Signals(rawValue: 1 << 9)
    package static let filterRestart = Signals(rawValue: 1 << 10)
    package static let drift = Signals(rawValue: 1 << 11)
    package static let speedContradiction = Signals(rawValue: 1 << 12)
    package static let jump = Signals(rawValue: 1 << 13)
    package static let relocation = Signals(rawValue: 1 << 14)
    package static let repeatedTrack = Signals(rawValue: 1 << 15)
    package static let device = Signals(rawValue: 1 << 16)
    package static let unsteadiness = Signals(rawValue: 1 << 17)
    package static let overdueHeading = Signals(rawValue: 1 << 18)

    /// All codes, in wire order.
    package static let all: [(code: StaticString, value: Signals)] = [
        ("MOCK_LOCATION", .device), ("DEVICE_INTEGRITY", .integrity), ("SEQUENCE_REPLAY", .sequenceReplay),
        ("REPEATED_TRACK", .repeatedTrack), ("JUMP", .jump), ("RELOCATION", .relocation),
        ("ACCELERATION", .acceleration), ("SPEED_CONTRADICTION", .speedContradiction), ("DRIFT", .drift),
        ("UNSTEADINESS", .unsteadiness), ("FILTER_RESTART", .filterRestart), ("EQUAL_STEPS", .equalSteps),
        ("RHYTHM", .rhythm), ("FROZEN_FIELDS", .frozenFields), ("FROZEN_SPEED", .frozenSpeed),
        ("OVERDUE_FIELDS", .overdueFields), ("OVERDUE_SPEED", .overdueSpeed),
        ("OVERDUE_HEADING", .overdueHeading),
    ]
}
