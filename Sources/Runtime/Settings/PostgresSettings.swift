import Foundation

/// Connection to Postgres, and retention and thinning of the history.
package struct PostgresSettings: Sendable {
    /// Connection URL, such as `postgresql://user:password@host:port/database`.
    package var url: Secret
    /// Whether POSTGRES_URL is not set and ``url`` is the default.
    package let isUnset: Bool
    package var retentionDays: Int
    /// Minimum time between stored accepted fixes of a driver; 0 stores all.
    package var minimumIntervalMilliseconds: Int
    /// Minimum distance between stored accepted fixes of a driver; 0 stores all.
    package var minimumDistanceMeters: Double
    /// Whether to also store positions smoothed with later fixes.
    package var smoothsPaths: Bool

    init(_ reader: inout SettingsReader) {
        url = reader.secret(.postgresURL)
        isUnset = !reader.isSet(SettingDefinition.postgresURL.key)
        retentionDays = reader.integer(.historyRetention)
        minimumIntervalMilliseconds = reader.integer(.historyMinimumInterval)
        minimumDistanceMeters = reader.decimal(.historyMinimumDistance)
        smoothsPaths = reader.flag(.historySmoothedPaths)
    }

    /// Returns advice for a default address at which Postgres does not answer; empty if POSTGRES_URL is set.
    package func advice(in folder: URL = .currentDirectory()) -> String {
        isUnset ? DefaultAddress.advice(.postgresURL, of: "database", in: folder) : ""
    }
}
