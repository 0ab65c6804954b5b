import Domain

extension SettingTable {
    static let broadcastSettings: [DomainSetting<BroadcastSettings>] = {
        let table = DomainTable(BroadcastSettings(), programs: [.broadcastWorker, .commandLine])
        return [
            table.integer(
                "SIGHTLINE_LOCATION_INTERVAL_MS", \.locationIntervalMilliseconds, 0...60_000, "ms",
                "Minimum interval between position updates of a trip."),
            table.decimal(
                "SIGHTLINE_ETA_MOVED_SECONDS", \.etaMovedSeconds, 1...3_600, "s",
                "Change of an arrival time that triggers an update, or 10 % of the remaining time if longer."),
            table.decimal(
                "SIGHTLINE_ETA_REFRESH_SECONDS", \.refreshSeconds, 5...3_600, "s",
                "Maximum interval of arrival time updates, or three of the vehicle's fix intervals if longer."),
        ]
    }()
}
