/// How to reach Redis.
package struct RedisSettings: Sendable {
    /// Such as `redis://user:password@host:6379/0`.
    package var url: Secret
    /// Comes before every key; may be empty.
    package var keyPrefix: String

    init(_ reader: inout SettingsReader) {
        url = reader.secret(.redisURL)
        keyPrefix = reader.text(.redisPrefix)
    }
}
