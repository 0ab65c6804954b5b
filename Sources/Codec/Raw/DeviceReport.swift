/// What a device says beside its fix, for the records only: nothing is judged by it.
///
/// `nil` is what the device does not say, or says in words that are not known. Of a mock provider the judge has its own
/// copy, ``Tracking/Fix/isMock``.
package struct DeviceReport: Sendable, Equatable {
    /// 68 % interval to either side of the altitude, in metres.
    package var altitudeAccuracyMeters: Double?
    /// 68 % interval to either side of the heading, 0 to 360 degrees.
    package var headingAccuracyDegrees: Double?
    /// 68 % interval to either side of the speed, in m/s.
    package var speedAccuracyMetersPerSecond: Double?
    /// Whether the platform says that a mock provider made the fix.
    package var isMock: Bool?
    package var isCharging: Bool?
    package var networkType: NetworkType?
    package var motionActivity: MotionActivity?

    package init() {}
}
