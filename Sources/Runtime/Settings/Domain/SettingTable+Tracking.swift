import SpoofDetection

extension SettingTable {
    static let tracking: [SettingDefinition] = trackingSettings.map(\.definition)

    /// Before and after changing one of these, run `sightline evaluate`.
    static let trackingSettings: [DomainSetting<TrackingSettings>] = judgingSettings + rateSettings + riskSettings

    private static let standard = TrackingSettings()
    private static let judges: Set<Program> = [.locationWorker, .commandLine]

    private static let judgingSettings: [DomainSetting<TrackingSettings>] = [
        .decimal(
            "SIGHTLINE_MAX_SPEED_MPS", \.jumps.maximumSpeedMetersPerSecond, of: standard, 1...400, unit: "m/s",
            programs: judges, help: "The fastest vehicle; what is out of its reach is a jump."),
        .decimal(
            "SIGHTLINE_TELEPORT_METERS", \.rules.jump.teleportationMeters, of: standard, 10...100_000, unit: "m",
            programs: judges, help: "A jump of at least this length is TELEPORTATION, a shorter one IMPOSSIBLE_SPEED."),
        .decimal(
            "SIGHTLINE_MAX_ACCURACY_METERS", \.quality.maximumAccuracyMeters, of: standard, 5...5_000, unit: "m",
            programs: judges, help: "Fixes with a worse accuracy are kept in history only."),
        .decimal(
            "SIGHTLINE_CLOCK_AHEAD_SECONDS", \.clock.maximumAheadSeconds, of: standard, 1...86_400, unit: "s",
            programs: judges, help: "A device time farther ahead of the receipt than this is not believed."),
        .decimal(
            "SIGHTLINE_ACCELERATION_MPS2", \.smoothing.accelerationMetersPerSecondSquared, of: standard, 0.1...20,
            unit: "m/s²", programs: judges,
            help: "How hard vehicles accelerate and turn: 1.5 for cars and buses, 2.5 for motorbikes, 0.5 on foot."),
        .decimal(
            "SIGHTLINE_MEMORY_SECONDS", \.memorySeconds, of: standard, 30...3_600, unit: "s",
            programs: .stages.union([.commandLine]),
            help: """
                Silence after which a driver starts afresh; a restart reads this much of the changelog, location-worker \
                15 min at least, as flags last so long.
                """),
    ]

    private static let rateSettings: [DomainSetting<TrackingSettings>] = [
        .flag(
            "SIGHTLINE_RATE_LIMIT", \.rate.isLimited, of: standard, programs: judges,
            help: "Whether fixes beyond a driver's rate are throttled."),
        .decimal(
            "SIGHTLINE_RATE_IN_TRIP_PER_SECOND", \.rate.onTripPerSecond, of: standard, 0.01...100, unit: "fixes/s",
            programs: judges, help: "Fixes of a driver that are judged; more are throttled and move nothing."),
        .decimal(
            "SIGHTLINE_RATE_OFF_TRIP_PER_MINUTE", \.rate.offTripPerMinute, of: standard, 0.1...6_000,
            unit: "fixes/min", programs: judges,
            help: "Fixes without a trip's id that are accepted; more are judged, but throttled."),
        .decimal(
            "SIGHTLINE_RATE_BURST_FIXES", \.rate.burst, of: standard, 1...1_000, unit: "fixes",
            programs: judges, help: "Fixes of a driver that may come at once."),
    ]

    private static let riskSettings: [DomainSetting<TrackingSettings>] = [
        .decimal(
            "SIGHTLINE_SUSPECT_RISK", \.risk.suspectRisk, of: standard, 0.01...0.99, unit: "risk",
            programs: judges, help: "From this risk a driver's fixes are marked SUSPECT."),
        .decimal(
            "SIGHTLINE_FLAG_RISK", \.risk.flagRisk, of: standard, 0.01...0.999, unit: "risk",
            programs: judges, help: "From this risk, over several windows, a driver is flagged."),
        .flag(
            "SIGHTLINE_REJECT_FAILED_INTEGRITY", \.rules.deviceIntegrity.rejects, of: standard, programs: judges,
            help: "Whether fixes of a device that failed its attestation are rejected, rather than marked."),
    ]
}

extension TrackingSettings.Rate {
    /// ``offTripPerSecond`` in a unit in which people can write it.
    fileprivate var offTripPerMinute: Double {
        get { offTripPerSecond * 60 }
        set { offTripPerSecond = newValue / 60 }
    }
}
