/// What a device's motion sensors say of how it is moved.
package enum MotionActivity: UInt8, Sendable, CaseIterable {
    case unknown, stationary, walking, running, cycling, automotive
}

extension MotionActivity: WireCode {
    static let every = Array(allCases)
    package var code: StaticString {
        switch self {
        case .unknown: "unknown"
        case .stationary: "stationary"
        case .walking: "walking"
        case .running: "running"
        case .cycling: "cycling"
        case .automotive: "automotive"
        }
    }
}
