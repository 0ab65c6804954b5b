import Foundation

/// How to reach Postgres, and what of the history is kept.
package struct PostgresSettings: Sendable {
    /// Such as `postgresql://user:password@host:port/database`.
    package var url: Secret
    /// Whether POSTGRES_URL is not set, so that ``url`` is the default.
    package let isUnset: Bool
    package var retentionDays: Int
    /// Accepted fixes of a driver closer in time than this are not kept; 0 keeps all.
    package var minimumIntervalMilliseconds: Int
    /// Accepted fixes of a driver closer together than this are not kept; 0 keeps all.
    package var minimumDistanceMeters: Double
    /// Whether positions are kept that are smoothed with later fixes, too.
    package var smoothsPaths: Bool

    init(_ reader: inout SettingsReader) {
        url = reader.secret(.postgresURL)
        isUnset = !reader.isSet(SettingDefinition.postgresURL.key)
        retentionDays = reader.integer(.historyRetention)
        minimumIntervalMilliseconds = reader.integer(.historyMinimumInterval)
        minimumDistanceMeters = reader.decimal(.historyMinimumDistance)
        smoothsPaths = reader.flag(.historySmoothedPaths)
    }

    /// What to do where Postgres cannot be reached at the default address; empty where POSTGRES_URL is set.
    ///
    /// `folder`: where the program runs, which may be inside a checkout with a local stack.
    package func advice(in folder: URL = .currentDirectory()) -> String {
        isUnset ? DefaultAddress(.postgresURL, of: "database").advice(in: folder) : ""
    }
}
