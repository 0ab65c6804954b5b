import Domain
import Foundation

/// Connection to Redis, and contents of the nearest-driver sets.
package struct RedisSettings: Sendable {
    /// Connection URL, such as `rediss://user:password@host:6379/0`.
    package var url: Secret
    /// Whether REDIS_URL is not set and ``url`` is the default.
    package let isUnset: Bool
    /// Prefix of every key; may be empty.
    package var keyPrefix: String
    /// Selection of the drivers in the nearest-driver sets.
    package var nearestDrivers: NearestDrivers
    /// PEM files for `rediss://`.
    package var authorityLocation: String?
    package var certificateLocation: String?
    package var keyLocation: String?

    init(_ reader: inout SettingsReader) {
        url = reader.secret(.redisURL)
        isUnset = !reader.isSet(SettingDefinition.redisURL.key)
        keyPrefix = reader.text(.redisPrefix)
        nearestDrivers = reader.choice(.nearestDrivers, as: NearestDrivers.self)
        authorityLocation = reader.optionalText(.redisAuthorityLocation)
        certificateLocation = reader.optionalText(.redisCertificateLocation)
        keyLocation = reader.optionalText(.redisKeyLocation)
        reader.checkCertificate(
            .redisCertificateLocation, certificateLocation ?? "", key: .redisKeyLocation, keyLocation ?? "")
        guard !url.reveal().hasPrefix("rediss://"), !reader.hasProblem(with: SettingDefinition.redisURL.key) else {
            return
        }
        let files: [(SettingDefinition, String?)] = [
            (.redisAuthorityLocation, authorityLocation), (.redisCertificateLocation, certificateLocation),
            (.redisKeyLocation, keyLocation),
        ]
        for (setting, file) in files where file != nil {
            reader.report(
                [setting.key, SettingDefinition.redisURL.key],
                "\(setting.key) is set, but REDIS_URL does not encrypt; change redis:// to rediss://.")
        }
    }

    /// Returns advice for a default address at which Redis does not answer; empty if REDIS_URL is set.
    package func advice(in folder: URL = .currentDirectory()) -> String {
        isUnset ? DefaultAddress.advice(.redisURL, of: "Redis", in: folder) : ""
    }
}
