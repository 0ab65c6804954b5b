import CSimdJSON

/// Properties that a device reports with a fix, for copying to the verdict; spoof detection does not read them.
///
/// `nil` if the device does not report a property or uses an unknown word.
package struct DeviceReport: Sendable, Equatable {
    /// Half width of the 68 % interval of the altitude, in metres.
    package var altitudeAccuracyMeters: Double?
    /// Half width of the 68 % interval of the heading, 0 to 360 degrees.
    package var headingAccuracyDegrees: Double?
    /// Half width of the 68 % interval of the speed, in m/s.
    package var speedAccuracyMetersPerSecond: Double?
    /// Whether the platform reports that a mock provider made the fix.
    package var isMock: Bool?
    package var isCharging: Bool?
    package var networkType: NetworkType?
    package var motionActivity: MotionActivity?

    package init() {}

    @inline(__always)
    init(_ source: borrowing sl_fix) {
        let present = source.present
        @inline(__always) func has(_ bit: Int) -> Bool { present & UInt32(bit) != 0 }
        if has(SL_FIX_ALTITUDE_ACCURACY) { altitudeAccuracyMeters = source.altitude_accuracy_meters }
        if has(SL_FIX_HEADING_ACCURACY) { headingAccuracyDegrees = source.heading_accuracy_degrees }
        if has(SL_FIX_SPEED_ACCURACY) { speedAccuracyMetersPerSecond = source.speed_accuracy_mps }
        if has(SL_FIX_MOCK) { isMock = source.is_mock }
        if has(SL_FIX_CHARGING) { isCharging = source.is_charging }
        if source.network_type != 0 { networkType = NetworkType(rawValue: source.network_type) }
        if source.motion_activity != 0 { motionActivity = MotionActivity(rawValue: source.motion_activity) }
    }
}

package enum NetworkType: UInt8, Sendable, CaseIterable, WireCode {
    case unknown, wifi
    /// Cellular network of an unknown generation.
    case cellular
    case secondGeneration, thirdGeneration, fourthGeneration, fifthGeneration
    case ethernet
    case notConnected
    package static let codes: [StaticString] = [
        "unknown", "wifi", "cellular", "2g", "3g", "4g", "5g", "ethernet", "none",
    ]
    package var code: StaticString { Self.codes[Int(rawValue)] }
    static let words = allWords()
}

package enum MotionActivity: UInt8, Sendable, CaseIterable, WireCode {
    case unknown, stationary, walking, running, cycling, automotive
    package static let codes: [StaticString] = [
        "unknown", "stationary", "walking", "running", "cycling", "automotive",
    ]
    package var code: StaticString { Self.codes[Int(rawValue)] }
    static let words = allWords()
}
