import Model
import Support

/// What a simulated fleet is like; the same configuration gives the same bytes.
package struct FleetConfiguration: Sendable, Equatable {
    package var drivers: Int
    package var seed: UInt64
    /// The middle of the town.
    package var center: Coordinate
    /// When the fleet begins to send.
    package var start: Timestamp
    /// Time lived through before ``start`` without sending, so that trips are under way when it begins, in seconds.
    package var warmUpSeconds = 600.0
    /// Distinguishes trips and sessions of one run from those of another; made from ``start`` unless given.
    package var runTag: String
    /// Driver ids are this and a number.
    package var driverPrefix = "drv_"
    /// The share of drivers that cheat; shared out evenly over ``CheatKind``.
    package var cheaterShare = 0.05
    /// The share of drivers that run a bus on a timetable.
    package var transitShare = 0.1
    /// The share of the honest drivers whose devices have a raw receiver; see ``ReceiverKind``.
    package var rawReceiverShare = 0.2
    /// The share of the honest drivers whose devices are peculiar; shared out evenly over ``DeviceVariant/peculiar``.
    package var peculiarDeviceShare = 0.1
    /// The share of devices that speak ``Dialect/mobile``.
    package var mobileDialectShare = 0.35
    /// Time between fixes in a trip, in seconds; the pipeline allows one per second.
    package var tripIntervalSeconds = 1.0
    /// Time between fixes without a trip, in seconds; the pipeline allows one in 30.
    package var onlineIntervalSeconds = 30.0
    /// The share of fixes that never arrive.
    package var lossShare = 0.005
    /// The share of records that are sent twice.
    package var duplicateShare = 0.005
    /// The share of records that later ones overtake.
    package var reorderedShare = 0.005
    /// The share of devices whose clock is wrong by up to ``maximumClockSkewSeconds``; the others are off by a second.
    package var skewedClockShare = 0.1
    package var maximumClockSkewSeconds = 240.0
    /// The share of rides that are cancelled.
    package var cancelledShare = 0.06
    /// The share of rides whose planned route includes the way to the pickup.
    package var approachRouteShare = 0.5
    /// About how far a ride's dropoff is from its pickup as the crow flies, in metres.
    ///
    /// The way to the pickup is half of that. `nil` for the distances of a town: up to 2,200 m to the pickup, and 1,200
    /// to 5,500 m from there.
    package var rideMeters: Double?
    /// Whether one driver begins with a ride that is over within a minute, to be watched; see
    /// ``FleetSimulation/briefRideID``.
    package var hasBriefRide = false
    package var streets = StreetNetworkConfiguration()
    package var noise = PositioningNoiseConfiguration()

    /// The town lies around Munich's Marienplatz unless `center` is given; no street of it is a real one.
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

    /// The first sentence of what is wrong with these settings; `nil` when they fit together.
    package var problem: String? {
        if !(1...1_000_000).contains(drivers) { return "A fleet has between 1 and 1,000,000 drivers." }
        if abs(center.latitude) > 80 || abs(center.longitude) > 180 {
            return "The middle of the town lies between 80° south and 80° north."
        }
        let shares = [
            cheaterShare, transitShare, rawReceiverShare, peculiarDeviceShare, mobileDialectShare, skewedClockShare,
            cancelledShare,
            approachRouteShare,
        ]
        if shares.contains(where: { !(0...1).contains($0) }) { return "A share lies between 0 and 1." }
        if cheaterShare + transitShare > 1 { return "Cheaters and buses together are at most the whole fleet." }
        let mishaps = [lossShare, duplicateShare, reorderedShare]
        if mishaps.contains(where: { !(0...0.5).contains($0) }) {
            return "The shares of lost, doubled and reordered records lie between 0 and 0.5."
        }
        if !(0.1...60).contains(tripIntervalSeconds) { return "In a trip a fix comes every 0.1 to 60 seconds." }
        if onlineIntervalSeconds < tripIntervalSeconds {
            return "Between trips fixes do not come more often than in a trip."
        }
        if let rideMeters, !(200...5000).contains(rideMeters) { return "A ride is 200 to 5,000 metres long." }
        if !(0...3600).contains(warmUpSeconds) { return "The time before the start is at most an hour." }
        if !(0...3600).contains(maximumClockSkewSeconds) { return "A clock is wrong by at most an hour." }
        return streets.problem ?? noise.problem
    }
}
