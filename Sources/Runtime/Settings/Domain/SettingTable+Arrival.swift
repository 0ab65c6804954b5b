import ArrivalTimes
import SpoofDetection

extension SettingTable {
    static let arrival: [SettingDefinition] = arrivalSettings.map(\.definition)
    static let arrivalPrograms: Set<Program> = [.etaWorker, .commandLine]

    /// Before and after changing one of these, run `sightline evaluate`.
    static let arrivalSettings: [DomainSetting<ArrivalSettings>] = {
        let standard = ArrivalSettings()
        let programs = arrivalPrograms
        return [
            .integer(
                "SIGHTLINE_DELAYED_SECONDS", \.delay.delayedSeconds, of: standard, 30...3_600, unit: "s",
                programs: programs, help: "A stop more than this late is DELAYED; exactly this late is not."
            ),
            .integer(
                "SIGHTLINE_EARLY_SECONDS", \.delay.earlySeconds, of: standard, 30...3_600, unit: "s",
                programs: programs, help: "A stop more than this early is EARLY; exactly this early is not."
            ),
            .decimal(
                "SIGHTLINE_STALE_SECONDS", \.staleSeconds, of: standard, 10...3_600, unit: "s",
                programs: programs, help: "A vehicle without a fix for longer than this is stale."),
            .decimal(
                "SIGHTLINE_UNAVAILABLE_SECONDS", \.unavailableSeconds, of: standard, 10...7_200, unit: "s",
                programs: programs,
                help: "Arrival times of a stale vehicle count down, flagged, until its data is older than this."),
            .decimal(
                "SIGHTLINE_ETA_HORIZON_SECONDS", \.horizonSeconds, of: standard, 60...86_400, unit: "s",
                programs: programs, help: "Arrival times farther ahead than this are not given."),
            .decimal(
                "SIGHTLINE_OFF_ROUTE_METERS", \.matching.offRouteMeters, of: standard, 10...1_000,
                unit: "m",
                programs: programs,
                help: "Fixes farther than this from the route, several in a row, are off it."),
            .decimal(
                "SIGHTLINE_ARRIVAL_RADIUS_METERS", \.detection.radiusMeters, of: standard, 5...500,
                unit: "m",
                programs: programs,
                help: "Standing within this distance of pickup or dropoff suggests an arrival."),
            .decimal(
                "SIGHTLINE_PICKUP_DWELL_SECONDS", \.pickupDwellSeconds, of: standard, 0...1_800, unit: "s",
                programs: programs, help: "Expected time at the pickup between arriving and driving off."),
            .decimal(
                "SIGHTLINE_LONG_ROUTE_RATIO", \.longRouteRatio, of: standard, 1...10, unit: "m/m",
                programs: programs, help: "A trip driven over this many times its plan is a long route."),
            .integer(
                "SIGHTLINE_LEARNED_PACES", \.paces.capacity, of: standard, 1_024...16_777_216, unit: "entries",
                programs: programs,
                help:
                    "Learned paces kept per partition, 40 bytes each: a road cell lately, at one hour of the day or always."
            ),
        ]
    }()
}
