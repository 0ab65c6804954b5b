import Domain
import Support

/// Configuration of a simulated fleet; the same configuration gives the same bytes.
package struct FleetConfiguration: Sendable, Equatable {
    package var drivers: Int
    package var seed: UInt64
    /// Centre of the town.
    package var center: Coordinate
    /// Time at which sending starts.
    package var start: Timestamp
    /// Time simulated before ``start`` without sending, in seconds, so that trips are in progress at the start.
    package var warmUpSeconds = 600.0
    /// Part of trip and session ids that distinguishes runs; by default derived from ``start``.
    package var runTag: String
    /// Prefix of driver ids, followed by a number.
    package var driverPrefix = "drv_"
    /// Share of drivers that cheat, divided evenly over ``CheatKind``.
    package var cheaterShare = 0.05
    /// Share of drivers that run a scheduled bus.
    package var transitShare = 0.1
    /// Share of honest drivers with a raw receiver; see ``ReceiverKind``.
    package var rawReceiverShare = 0.2
    /// Share of honest drivers with an unusual device, divided evenly over ``DeviceVariant/unusual``.
    package var unusualDeviceShare = 0.1
    /// Share of honest drivers' devices that send ``DeviceFormat/mobile``.
    package var mobileFormatShare = 0.35
    /// Time between fixes during a trip, in seconds; the pipeline allows one fix per second.
    package var tripIntervalSeconds = 1.0
    /// Time between fixes without a trip, in seconds; the pipeline allows one fix every 30 s.
    package var onlineIntervalSeconds = 30.0
    /// Share of fixes that never arrive.
    package var lossShare = 0.005
    /// Share of records that are sent twice.
    package var duplicateShare = 0.005
    /// Share of records that later records overtake.
    package var reorderedShare = 0.005
    /// Share of devices whose clock is off by up to ``maximumClockSkewSeconds``; others are off by about a second.
    package var skewedClockShare = 0.1
    package var maximumClockSkewSeconds = 240.0
    /// Share of honest drivers' rides with a cancellation time; a ride that starts before that time is completed.
    package var cancelledShare = 0.06
    /// Share of rides whose planned route includes the approach to the pickup.
    package var approachRouteShare = 0.5
    /// Approximate straight distance from pickup to dropoff, in metres; the approach is half of it.
    ///
    /// If `nil`, 400 to 2,200 m to the pickup, and 1,200 to 5,500 m from there (cheaters: 4,500 to 7,500 m).
    package var rideMeters: Double?
    /// Whether one driver starts with a ride that ends within a minute; see ``FleetSimulation/shortRideID``.
    package var includesShortRide = false
    package var streets = StreetNetworkConfiguration()
    package var noise = PositioningNoiseConfiguration()

    /// Creates a configuration; by default, the centre of the synthetic town is at Munich's Marienplatz.
    package init(
        drivers: Int, seed: UInt64 = 1, center: Coordinate = Coordinate(latitude: 48.1374, longitude: 11.5755),
        start: Timestamp
    ) {
        self.drivers = drivers
        self.seed = seed
        self.center = center
        self.start = start
        runTag = String(start.milliseconds / 1000, radix: 36)
    }

    /// The first invalid value, described for users of the commands; `nil` if all are valid.
    package var problem: String? {
        if !(1...1_000_000).contains(drivers) { return "The number of drivers must be between 1 and 1,000,000." }
        if abs(center.latitude) > 80 || abs(center.longitude) > 180 {
            return "The centre must be between 80° south and 80° north, and between 180° west and 180° east."
        }
        if ![cheaterShare, transitShare].allSatisfy((0...1).contains) { return "Shares must be between 0 and 1." }
        if cheaterShare + transitShare > 1 { return "The shares of cheaters and buses must add up to at most 1." }
        if !(0.1...60).contains(tripIntervalSeconds) {
            return "The interval of fixes during a trip must be between 0.1 and 60 s."
        }
        if let rideMeters, !(200...5000).contains(rideMeters) {
            return "The length of a ride must be between 200 and 5,000 m."
        }
        return nil
    }
}
