import Domain
import Foundation

/// Connection to Redis, and contents of the nearest-driver sets.
package struct RedisSettings: Sendable {
    /// Such as `rediss://user:password@host:6379/0`.
    package var url: Secret
    /// Whether REDIS_URL is not set and ``url`` is the default.
    package let isUnset: Bool
    /// Prefix of every key; may be empty.
    package var keyPrefix: String
    /// Drivers in the nearest-driver sets.
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
        let authority = reader.text(.redisAuthorityLocation)
        let certificate = reader.text(.redisCertificateLocation)
        let key = reader.text(.redisKeyLocation)
        reader.checkCertificate(.redisCertificateLocation, certificate, key: .redisKeyLocation, key)
        authorityLocation = authority.isEmpty ? nil : authority
        certificateLocation = certificate.isEmpty ? nil : certificate
        keyLocation = key.isEmpty ? nil : key
        guard !url.reveal().hasPrefix("rediss://"), !reader.hasProblem(with: SettingDefinition.redisURL.key) else {
            return
        }
        let files: [(SettingDefinition, String)] = [
            (.redisAuthorityLocation, authority), (.redisCertificateLocation, certificate), (.redisKeyLocation, key),
        ]
        for (setting, file) in files where !file.isEmpty {
            reader.report(
                [setting.key, SettingDefinition.redisURL.key],
                "\(setting.key) is set, but REDIS_URL does not encrypt; let it begin with rediss://.")
        }
    }

    /// Advice if Redis cannot be reached at the default address; empty if REDIS_URL is set.
    ///
    /// `folder`: the working directory, which may be inside a checkout with a local stack.
    package func advice(in folder: URL = .currentDirectory()) -> String {
        isUnset ? DefaultAddress(.redisURL, of: "Redis").advice(in: folder) : ""
    }
}
