/// Error of a Redis connection or command.
package struct RedisError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// Invalid address or other setting.
        case configuration
        /// Connecting failed.
        case connect
        /// The connection broke or timed out; the last commands may or may not have been executed.
        case connectionLost
        /// The server temporarily cannot serve: loading, a replica, out of memory, too many clients.
        case unavailable
        /// TLS failed permanently, for example because one side rejected the other's certificate.
        case tls
        /// Wrong password or missing permissions.
        case authentication
        /// The type of a key does not match the command.
        case wrongType
        /// Any other error reply.
        case refused
    }

    package let code: Code
    /// One sentence, with the fix if known; never contains a password.
    package let message: String
    /// Whether a new connection is required, because the current one failed or leads to a replica.
    package let endsConnection: Bool

    package init(_ code: Code, _ message: String, endsConnection: Bool? = nil) {
        self.code = code
        self.message = message
        self.endsConnection = endsConnection ?? [.connect, .connectionLost, .tls, .configuration].contains(code)
    }

    /// Whether the same call may succeed later; otherwise an operator must fix settings, permissions or data.
    package var isRetriable: Bool { [.connect, .connectionLost, .unavailable].contains(code) }

    package var description: String { message }
}

extension RedisError {
    /// Creates an error from an error reply, whose first word is the kind of error.
    package init(reply: String) {
        let kind = reply.prefix { $0 != " " }
        switch kind {
        case "LOADING", "MASTERDOWN", "BUSY", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS", "UNKILLABLE":
            self.init(.unavailable, "Redis is temporarily unavailable (\(reply)); retrying.")
        case "READONLY":
            self.init(
                .unavailable, "Redis is a read-only replica (\(reply)); REDIS_URL must lead to the primary.",
                endsConnection: true)
        case "OOM":
            self.init(
                .unavailable,
                "Redis is out of memory (\(reply)); raise maxmemory, and keep maxmemory-policy at noeviction.")
        case "MISCONF":
            self.init(.unavailable, "Redis cannot save to disk and rejects writes (\(reply)); free space on its disk.")
        case "WRONGPASS", "NOAUTH":
            self.init(
                .authentication, "Redis rejects the login (\(kind)); check user and password in REDIS_URL.",
                endsConnection: true)
        case "NOPERM":
            self.init(.authentication, "The Redis user lacks permissions (\(reply)); grant them with ACL SETUSER.")
        case "WRONGTYPE":
            self.init(
                .wrongType,
                "A Redis key has another type than Sightline writes (\(reply)); "
                    + "another program uses the same keys: set SIGHTLINE_REDIS_PREFIX.")
        case "MOVED", "ASK", "CROSSSLOT":
            self.init(
                .refused,
                "Redis runs as a cluster (\(reply)), where partitions cannot be written in one transaction; "
                    + "use a single primary, with replicas or Sentinel for availability.")
        default:
            self = Self.untyped(reply)
        }
    }

    /// Translates `ERR` replies, which can only be distinguished by their text.
    private static func untyped(_ reply: String) -> RedisError {
        let text = reply.lowercased()
        if text.contains("max number of clients") {
            return RedisError(.unavailable, "Redis has too many clients (\(reply)); raise maxclients.")
        }
        if text.contains("invalid password") || text.contains("without any password configured") {
            return RedisError(.authentication, "Redis rejects the login; check user and password in REDIS_URL.")
        }
        if text.contains("db index") {
            return RedisError(.configuration, "Redis has no such database (\(reply)); check the number in REDIS_URL.")
        }
        return RedisError(.refused, "Redis rejected a command: \(reply).")
    }
}
