import Domain

extension SettingTable {
    /// Settings of arrival times; run `sightline evaluate` before and after changing one of these.
    static let arrivalSettings: [DomainSetting<ArrivalSettings>] = {
        let table = DomainTable(ArrivalSettings(), programs: [.etaWorker, .commandLine])
        return [
            table.integer(
                "SIGHTLINE_DELAYED_SECONDS", \.delay.delayedSeconds, 30...3_600, "s",
                "A stop more than this late is DELAYED; exactly this late is not."),
            table.integer(
                "SIGHTLINE_EARLY_SECONDS", \.delay.earlySeconds, 30...3_600, "s",
                "A stop more than this early is EARLY; exactly this early is not."),
            table.decimal(
                "SIGHTLINE_STALE_SECONDS", \.staleSeconds, 10...3_600, "s",
                "A vehicle without a fix for longer than this is stale."),
            table.decimal(
                "SIGHTLINE_UNAVAILABLE_SECONDS", \.unavailableSeconds, 10...7_200, "s",
                "A stale vehicle has arrival times, marked as stale, until its position is older than this."),
            table.decimal(
                "SIGHTLINE_ETA_HORIZON_SECONDS", \.horizonSeconds, 60...86_400, "s",
                "Arrivals further ahead than this are not predicted."),
            table.decimal(
                "SIGHTLINE_OFF_ROUTE_METERS", \.matching.offRouteMeters, 10...1_000, "m",
                "Distance from the route beyond which several fixes in a row are off route."),
            table.decimal(
                "SIGHTLINE_ARRIVAL_RADIUS_METERS", \.detection.radiusMeters, 5...500, "m",
                "Radius around pickup and dropoff in which a vehicle below 2 m/s for 10 s counts as arrived."),
            table.decimal(
                "SIGHTLINE_PICKUP_DWELL_SECONDS", \.pickupDwellSeconds, 0...1_800, "s",
                "Expected time between arrival at the pickup and departure."),
            table.decimal(
                "SIGHTLINE_LONG_ROUTE_RATIO", \.longRouteRatio, 1...10, "m/m",
                "Ratio of driven to planned distance above which a trip is a long route."),
            table.integer(
                "SIGHTLINE_LEARNED_ROAD_SPEEDS", \.roadSpeeds.capacity, 1_024...16_777_216, "entries",
                "Maximum learned road speeds per partition (40 bytes each): recent, per hour of day, and all-time."),
        ]
    }()
}
