import Foundation

/// Address, login, TLS and timeouts of a connection to Redis.
package struct RedisConfiguration: Sendable {
    package var host: String
    package var port: Int32 = 6379
    /// User name; `nil` for the default user.
    package var username: String?
    /// Password, which `description`, `dump` and reflection never print.
    package var password: String?
    /// Database number, from 0.
    package var database = 0
    /// TLS files; `nil` for a connection without TLS.
    package var tls: RedisTLSConfiguration?
    /// Timeout of connecting, and of each reply to the login.
    package var connectTimeout = Duration.seconds(2)
    /// Timeout of a reply; long, because one transaction may write a whole backlog.
    package var commandTimeout = Duration.seconds(10)
    /// Advice for errors of an unreachable server or rejected login; empty for the default advice.
    package var advice = ""
}

extension RedisConfiguration {
    /// Parses `redis://[[user]:password@]host[:port][/database]`; user and password may be percent-encoded.
    ///
    /// `rediss://` uses TLS and trusts the system's certificate authorities; set ``tls`` to trust others.
    ///
    /// - Throws: ``RedisError`` with ``RedisError/Code/configuration``; the message does not contain the URL, which may
    ///   have a password.
    package init(url: String) throws(RedisError) {
        let format = "redis[s]://[[user]:password@]host[:port][/database]"
        guard let scheme = ["redis://", "rediss://"].first(where: { url.hasPrefix($0) }) else {
            throw RedisError(.configuration, "REDIS_URL must look like \(format).")
        }
        var rest = url.dropFirst(scheme.count)
        var login: Substring?
        // Split at the last @, because a password that is not encoded may contain one.
        if let at = rest.lastIndex(of: "@") {
            login = rest[..<at]
            rest = rest[rest.index(after: at)...]
        }
        let path = rest.firstIndex(of: "/").map { rest[rest.index(after: $0)...] } ?? ""
        let address = rest.prefix { $0 != "/" }
        guard let (host, port) = Self.split(address) else {
            throw RedisError(.configuration, "REDIS_URL has no valid host and port; it must look like \(format).")
        }
        guard let database = path.isEmpty ? 0 : Int(path), database >= 0 else {
            throw RedisError(.configuration, "REDIS_URL must end in a database number; it must look like \(format).")
        }
        self.init(
            host: host, port: port, database: database, tls: scheme == "rediss://" ? RedisTLSConfiguration() : nil)
        guard let login else { return }
        let parts = login.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = parts[0].removingPercentEncoding,
            let password = parts.count > 1 ? parts[1].removingPercentEncoding : ""
        else {
            throw RedisError(.configuration, "REDIS_URL has an invalid percent-encoding before the @.")
        }
        guard parts.count > 1 || user.isEmpty else {
            throw RedisError(.configuration, "REDIS_URL has a user but no password; it must look like \(format).")
        }
        username = user.isEmpty ? nil : user
        self.password = password.isEmpty ? nil : password
    }

    private static func split(_ address: Substring) -> (host: String, port: Int32)? {
        var host = address
        var port: Substring = "6379"
        if address.hasPrefix("["), let close = address.lastIndex(of: "]") {
            // An IPv6 address is in brackets, because it contains colons.
            host = address[address.index(after: address.startIndex)..<close]
            let after = address[address.index(after: close)...]
            guard after.isEmpty || after.hasPrefix(":") else { return nil }
            if !after.isEmpty { port = after.dropFirst() }
        } else if let colon = address.lastIndex(of: ":") {
            host = address[..<colon]
            port = address[address.index(after: colon)...]
            guard !host.contains(":") else { return nil }
        }
        guard !host.isEmpty, let number = Int32(port), (1...65535).contains(number) else { return nil }
        return (String(host), number)
    }
}

extension RedisConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address, with user and password masked.
    package var description: String {
        let login = username == nil && password == nil ? "" : "***@"
        let shownHost = host.contains(":") ? "[\(host)]" : host
        return "\(tls == nil ? "redis" : "rediss")://\(login)\(shownHost):\(port)/\(database)"
    }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}

/// TLS files of a `rediss://` connection.
///
/// The server's certificate must be issued by a trusted authority for the host of the URL; neither check can be
/// disabled.
package struct RedisTLSConfiguration: Sendable, Equatable {
    /// Trusted certificate authorities (PEM); `nil` for the system's.
    package var authorityFile: String?
    /// Client certificate chain (PEM); `nil` for none.
    package var certificateFile: String?
    /// Private key of ``certificateFile`` (PEM), without a passphrase.
    package var keyFile: String?

    package init(authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.authorityFile = authorityFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
