import Domain

extension SettingTable {
    /// Settings of fixes and risk; run `sightline evaluate` before and after changing one of these.
    static let trackingSettings: [DomainSetting<TrackingSettings>] = limitSettings + rateSettings + riskSettings

    private static let table = DomainTable(TrackingSettings(), programs: [.locationWorker, .commandLine])

    private static let limitSettings: [DomainSetting<TrackingSettings>] = [
        table.decimal(
            "SIGHTLINE_MAX_SPEED_MPS", \.jumps.maximumSpeedMetersPerSecond, 1...400, "m/s",
            "Maximum vehicle speed; a faster move is a jump."),
        table.decimal(
            "SIGHTLINE_TELEPORT_METERS", \.rules.jump.teleportationMeters, 10...100_000, "m",
            "A jump of at least this length is TELEPORTATION, a shorter one IMPOSSIBLE_SPEED."),
        table.decimal(
            "SIGHTLINE_MAX_ACCURACY_METERS", \.quality.maximumAccuracyMeters, 5...5_000, "m",
            "Maximum accuracy radius; fixes with a larger one are rejected."),
        table.decimal(
            "SIGHTLINE_CLOCK_AHEAD_SECONDS", \.clock.maximumAheadSeconds, 1...86_400, "s",
            "Maximum lead of device times over receipt times, after correction by known clock offsets."),
        table.decimal(
            "SIGHTLINE_ACCELERATION_MPS2", \.smoothing.accelerationMetersPerSecondSquared, 0.1...20, "m/s²",
            "Acceleration of vehicles: 1.5 for cars and buses, 2.5 for motorbikes, 0.5 on foot."),
        table.decimal(
            "SIGHTLINE_MEMORY_SECONDS", \.memorySeconds, 30...3_600, "s", programs: .processors.union([.commandLine]),
            "Driver memory: after this silence a driver starts without history; a restart reads this much of the "
                + "changelog (location-worker at least 15 min, because flags last longer)."),
    ]

    private static let rateSettings: [DomainSetting<TrackingSettings>] = [
        table.flag("SIGHTLINE_RATE_LIMIT", \.rate.isLimited, "Throttle fixes above a driver's rate."),
        table.decimal(
            "SIGHTLINE_RATE_IN_TRIP_PER_SECOND", \.rate.onTripPerSecond, 0.01...100, "fixes/s",
            "Maximum evaluated fixes per driver; more are throttled."),
        table.decimal(
            "SIGHTLINE_RATE_OFF_TRIP_PER_MINUTE", \.rate.offTripPerMinute, 0.1...6_000, "fixes/min",
            "Maximum accepted fixes per driver without a trip id; more are evaluated but throttled."),
        table.decimal("SIGHTLINE_RATE_BURST_FIXES", \.rate.burst, 1...1_000, "fixes", "Burst size of both rates."),
    ]

    private static let riskSettings: [DomainSetting<TrackingSettings>] = [
        table.decimal(
            "SIGHTLINE_SUSPECT_RISK", \.risk.suspectRisk, 0.01...0.99, "risk",
            "Risk from which fixes are marked SUSPECT."),
        table.decimal(
            "SIGHTLINE_FLAG_RISK", \.risk.flagRisk, 0.01...0.999, "risk",
            "Risk from which a driver is flagged, if it persists over three windows of 10 s."),
        table.flag(
            "SIGHTLINE_REJECT_FAILED_INTEGRITY", \.rules.deviceIntegrity.rejects,
            "Reject fixes of devices that failed attestation, instead of marking them."),
    ]
}

extension TrackingSettings.Rate {
    /// ``offTripPerSecond`` per minute, which is easier to write.
    fileprivate var offTripPerMinute: Double {
        get { offTripPerSecond * 60 }
        set { offTripPerSecond = newValue / 60 }
    }
}
