import Domain

extension SettingTable {
    static let arrival: [SettingDefinition] = arrivalSettings.map(\.definition)
    static let arrivalPrograms: Set<Program> = [.etaWorker, .commandLine]

    /// Run `sightline evaluate` before and after changing one of these.
    static let arrivalSettings: [DomainSetting<ArrivalSettings>] = {
        let standard = ArrivalSettings()
        let programs = arrivalPrograms
        return [
            .integer(
                "SIGHTLINE_DELAYED_SECONDS", \.delay.delayedSeconds, of: standard, 30...3_600, unit: "s",
                programs: programs, help: "A stop more than this late is DELAYED; exactly this late is not."),
            .integer(
                "SIGHTLINE_EARLY_SECONDS", \.delay.earlySeconds, of: standard, 30...3_600, unit: "s",
                programs: programs, help: "A stop more than this early is EARLY; exactly this early is not."),
            .decimal(
                "SIGHTLINE_STALE_SECONDS", \.staleSeconds, of: standard, 10...3_600, unit: "s",
                programs: programs, help: "A vehicle without a fix for longer than this is stale."),
            .decimal(
                "SIGHTLINE_UNAVAILABLE_SECONDS", \.unavailableSeconds, of: standard, 10...7_200, unit: "s",
                programs: programs,
                help: "Maximum age of a position for which a stale vehicle still has (flagged) arrival times."),
            .decimal(
                "SIGHTLINE_ETA_HORIZON_SECONDS", \.horizonSeconds, of: standard, 60...86_400, unit: "s",
                programs: programs, help: "Maximum prediction horizon."),
            .decimal(
                "SIGHTLINE_OFF_ROUTE_METERS", \.matching.offRouteMeters, of: standard, 10...1_000,
                unit: "m",
                programs: programs,
                help: "Distance from the route beyond which several fixes in a row are off route."),
            .decimal(
                "SIGHTLINE_ARRIVAL_RADIUS_METERS", \.detection.radiusMeters, of: standard, 5...500,
                unit: "m",
                programs: programs,
                help: "Radius around pickup and dropoff in which a stopped vehicle counts as arrived."),
            .decimal(
                "SIGHTLINE_PICKUP_DWELL_SECONDS", \.pickupDwellSeconds, of: standard, 0...1_800, unit: "s",
                programs: programs, help: "Expected time between arrival at the pickup and departure."),
            .decimal(
                "SIGHTLINE_LONG_ROUTE_RATIO", \.longRouteRatio, of: standard, 1...10, unit: "m/m",
                programs: programs, help: "Ratio of driven to planned distance above which a trip is a long route."),
            .integer(
                "SIGHTLINE_LEARNED_PACES", \.roadSpeeds.capacity, of: standard, 1_024...16_777_216, unit: "entries",
                programs: programs,
                help: "Maximum learned road speeds per partition (40 bytes each): recent, per hour of day, and "
                    + "all-time."),
        ]
    }()
}
