/// How to reach Postgres, and what of the history is kept.
package struct PostgresSettings: Sendable {
    /// Such as `postgresql://user:password@host:port/database`.
    package var url: Secret
    package var retentionDays: Int
    /// Accepted fixes of a driver closer in time than this are not kept; 0 keeps all.
    package var minimumIntervalMilliseconds: Int
    /// Accepted fixes of a driver closer together than this are not kept; 0 keeps all.
    package var minimumDistanceMeters: Double

    init(_ reader: inout SettingsReader) {
        url = reader.secret(.postgresURL)
        retentionDays = reader.integer(.historyRetention)
        minimumIntervalMilliseconds = reader.integer(.historyMinimumInterval)
        minimumDistanceMeters = reader.decimal(.historyMinimumDistance)
    }
}
