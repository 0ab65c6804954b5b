import RiderUpdates

extension SettingTable {
    static let broadcast: [SettingDefinition] = broadcastSettings.map(\.definition)

    static let broadcastSettings: [DomainSetting<BroadcastSettings>] = {
        let standard = BroadcastSettings()
        let programs: Set<Program> = [.broadcastWorker, .commandLine]
        return [
            .integer(
                "SIGHTLINE_LOCATION_INTERVAL_MS", \.locationIntervalMilliseconds, of: standard, 0...60_000, unit: "ms",
                programs: programs, help: "Riders get a trip's position at most once in this time."),
            .decimal(
                "SIGHTLINE_ETA_MOVED_SECONDS", \.etaMovedSeconds, of: standard, 1...3_600, unit: "s",
                programs: programs,
                help: "Riders get an arrival time again when it moved by more than this, or by 10 %."),
            .decimal(
                "SIGHTLINE_ETA_REFRESH_SECONDS", \.refreshSeconds, of: standard, 5...3_600, unit: "s",
                programs: programs,
                help: "Riders get arrival times again with the first position after this time, "
                    + "or after three intervals of the vehicle where that is longer."),
        ]
    }()
}
