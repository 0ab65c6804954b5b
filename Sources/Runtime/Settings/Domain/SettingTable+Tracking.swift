import Domain

extension SettingTable {
    static let tracking: [SettingDefinition] = trackingSettings.map(\.definition)

    /// Run `sightline evaluate` before and after changing one of these.
    static let trackingSettings: [DomainSetting<TrackingSettings>] = limitSettings + rateSettings + riskSettings

    private static let standard = TrackingSettings()
    private static let programs: Set<Program> = [.locationWorker, .commandLine]

    private static let limitSettings: [DomainSetting<TrackingSettings>] = [
        .decimal(
            "SIGHTLINE_MAX_SPEED_MPS", \.jumps.maximumSpeedMetersPerSecond, of: standard, 1...400, unit: "m/s",
            programs: programs, help: "Maximum vehicle speed; a faster move is a jump."),
        .decimal(
            "SIGHTLINE_TELEPORT_METERS", \.rules.jump.teleportationMeters, of: standard, 10...100_000, unit: "m",
            programs: programs,
            help: "A jump of at least this length is TELEPORTATION, a shorter one IMPOSSIBLE_SPEED."),
        .decimal(
            "SIGHTLINE_MAX_ACCURACY_METERS", \.quality.maximumAccuracyMeters, of: standard, 5...5_000, unit: "m",
            programs: programs, help: "Maximum accuracy radius; worse fixes are stored in the history only."),
        .decimal(
            "SIGHTLINE_CLOCK_AHEAD_SECONDS", \.clock.maximumAheadSeconds, of: standard, 1...86_400, unit: "s",
            programs: programs, help: "Device times further ahead of the receipt time are rejected."),
        .decimal(
            "SIGHTLINE_ACCELERATION_MPS2", \.smoothing.accelerationMetersPerSecondSquared, of: standard, 0.1...20,
            unit: "m/s²", programs: programs,
            help: "Acceleration of vehicles: 1.5 for cars and buses, 2.5 for motorbikes, 0.5 on foot."),
        .decimal(
            "SIGHTLINE_MEMORY_SECONDS", \.memorySeconds, of: standard, 30...3_600, unit: "s",
            programs: .processors.union([.commandLine]),
            help: "Driver memory: after this silence a driver starts without history; a restart reads this much of "
                + "the changelog (location-worker at least 15 min, because flags last longer)."),
    ]

    private static let rateSettings: [DomainSetting<TrackingSettings>] = [
        .flag(
            "SIGHTLINE_RATE_LIMIT", \.rate.isLimited, of: standard, programs: programs,
            help: "Throttle fixes above a driver's rate."),
        .decimal(
            "SIGHTLINE_RATE_IN_TRIP_PER_SECOND", \.rate.onTripPerSecond, of: standard, 0.01...100, unit: "fixes/s",
            programs: programs, help: "Evaluated fixes per driver; more are throttled."),
        .decimal(
            "SIGHTLINE_RATE_OFF_TRIP_PER_MINUTE", \.rate.offTripPerMinute, of: standard, 0.1...6_000,
            unit: "fixes/min", programs: programs,
            help: "Accepted fixes per driver without a trip id; more are evaluated but throttled."),
        .decimal(
            "SIGHTLINE_RATE_BURST_FIXES", \.rate.burst, of: standard, 1...1_000, unit: "fixes",
            programs: programs, help: "Burst size of both rates."),
    ]

    private static let riskSettings: [DomainSetting<TrackingSettings>] = [
        .decimal(
            "SIGHTLINE_SUSPECT_RISK", \.risk.suspectRisk, of: standard, 0.01...0.99, unit: "risk",
            programs: programs, help: "Risk from which fixes are marked SUSPECT."),
        .decimal(
            "SIGHTLINE_FLAG_RISK", \.risk.flagRisk, of: standard, 0.01...0.999, unit: "risk",
            programs: programs, help: "Risk from which a driver is flagged, over several windows."),
        .flag(
            "SIGHTLINE_REJECT_FAILED_INTEGRITY", \.rules.deviceIntegrity.rejects, of: standard, programs: programs,
            help: "Reject fixes of devices that failed attestation, instead of marking them."),
    ]
}

extension TrackingSettings.Rate {
    /// ``offTripPerSecond`` per minute, which is easier to write.
    fileprivate var offTripPerMinute: Double {
        get { offTripPerSecond * 60 }
        set { offTripPerSecond = newValue / 60 }
    }
}
