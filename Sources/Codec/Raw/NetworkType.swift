/// What a device is connected by.
package enum NetworkType: UInt8, Sendable, CaseIterable {
    case unknown, wifi
    /// Of a generation that the device does not name.
    case cellular
    case secondGeneration, thirdGeneration, fourthGeneration, fifthGeneration
    case ethernet
    case notConnected
}

extension NetworkType: WireCode {
    static let every = Array(allCases)
    package var code: StaticString {
        switch self {
        case .unknown: "unknown"
        case .wifi: "wifi"
        case .cellular: "cellular"
        case .secondGeneration: "2g"
        case .thirdGeneration: "3g"
        case .fourthGeneration: "4g"
        case .fifthGeneration: "5g"
        case .ethernet: "ethernet"
        case .notConnected: "none"
        }
    }
}
