/// Why Redis did not do what it was asked to, and whether trying again can help.
package struct RedisError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The address or another setting is not usable.
        case configuration
        /// No connection could be made.
        case connect
        /// The connection broke or timed out; what was sent last may or may not have been done.
        case connectionLost
        /// The server is there but cannot serve for now: loading, a replica, out of memory, too many clients.
        case unavailable
        /// The server could not prove who it is, or does not accept our certificate.
        case tls
        /// Wrong password or missing rights.
        case authentication
        /// A key holds something that Sightline did not put there.
        case wrongType
        /// Any other refusal.
        case refused
    }

    package let code: Code
    /// One sentence that names the fix; never holds a password.
    package let message: String
    /// Whether only another connection can help: this one broke, or its server is no primary or does not know us.
    ///
    /// A refused command leaves its connection usable.
    package let endsConnection: Bool

    package init(_ code: Code, _ message: String) { self.init(code, message, endsConnection: Self.isBroken(code)) }

    private init(_ code: Code, _ message: String, endsConnection: Bool) {
        self.code = code
        self.message = message
        self.endsConnection = endsConnection
    }

    private static func isBroken(_ code: Code) -> Bool {
        switch code {
        case .connect, .connectionLost, .tls, .configuration: true
        case .unavailable, .authentication, .wrongType, .refused: false
        }
    }

    /// The same call may succeed later without any intervention.
    package var isRetriable: Bool {
        switch code {
        case .connect, .connectionLost, .unavailable: true
        case .configuration, .tls, .authentication, .wrongType, .refused: false
        }
    }

    /// The process cannot go on until an operator repairs the setting, the rights or the data.
    package var isFatal: Bool { !isRetriable }

    package var description: String { message }
}

extension RedisError {
    /// Translates an error reply, whose first word is its kind.
    package init(reply: String) {
        let kind = reply.prefix { $0 != " " }
        switch kind {
        case "LOADING", "MASTERDOWN", "BUSY", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS", "UNKILLABLE":
            self.init(.unavailable, "Redis cannot serve for now (\(reply)); it is tried again.")
        case "READONLY":
            self.init(
                .unavailable,
                "Redis is a replica that takes no writes (\(reply)); REDIS_URL must lead to the primary.",
                endsConnection: true)
        case "OOM":
            self.init(
                .unavailable,
                "Redis is out of memory (\(reply)); raise maxmemory, and keep maxmemory-policy at noeviction.")
        case "MISCONF":
            self.init(.unavailable, "Redis cannot save to disk and refuses writes (\(reply)); free space on its disk.")
        case "WRONGPASS", "NOAUTH":
            self.init(
                .authentication, "Redis refuses the login (\(kind)); check user and password in REDIS_URL.",
                endsConnection: true)
        case "NOPERM":
            self.init(.authentication, "The Redis user lacks rights (\(reply)); grant them with ACL SETUSER.")
        case "WRONGTYPE":
            self.init(
                .wrongType,
                "A Redis key holds another type than Sightline writes (\(reply)); "
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

    /// Replies of the kind `ERR`, told apart by their text because Redis gives them no other mark.
    private static func untyped(_ reply: String) -> RedisError {
        let text = reply.lowercased()
        if text.contains("max number of clients") {
            return RedisError(.unavailable, "Redis has too many clients (\(reply)); raise maxclients.")
        }
        if text.contains("invalid password") || text.contains("without any password configured") {
            return RedisError(.authentication, "Redis refuses the login; check user and password in REDIS_URL.")
        }
        if text.contains("db index") {
            return RedisError(.configuration, "Redis has no such database (\(reply)); check the number in REDIS_URL.")
        }
        return RedisError(.refused, "Redis refused a command: \(reply).")
    }
}
