/// How accurately a device should measure, the most power first.
package enum SamplingAccuracy: Sendable, CaseIterable {
    case best, tenMeters, cityBlock, low

    /// As on the wire.
    package var code: StaticString {
        switch self {
        case .best: "best"
        case .tenMeters: "ten_meters"
        case .cityBlock: "city_block"
        case .low: "low"
        }
    }
}
