import Domain

extension SettingTable {
    static let broadcast: [SettingDefinition] = broadcastSettings.map(\.definition)

    static let broadcastSettings: [DomainSetting<BroadcastSettings>] = {
        let standard = BroadcastSettings()
        let programs: Set<Program> = [.broadcastWorker, .commandLine]
        return [
            .integer(
                "SIGHTLINE_LOCATION_INTERVAL_MS", \.locationIntervalMilliseconds, of: standard, 0...60_000, unit: "ms",
                programs: programs, help: "Minimum interval between position updates of a trip."),
            .decimal(
                "SIGHTLINE_ETA_MOVED_SECONDS", \.etaMovedSeconds, of: standard, 1...3_600, unit: "s",
                programs: programs, help: "Change of an arrival time that triggers an update (or 10 %)."),
            .decimal(
                "SIGHTLINE_ETA_REFRESH_SECONDS", \.refreshSeconds, of: standard, 5...3_600, unit: "s",
                programs: programs,
                help: "Maximum interval between arrival time updates, or three intervals of the vehicle if longer."),
        ]
    }()
}
