import Glibc

/// Limit on the process's open file descriptors.
package enum DescriptorLimit {
    /// Descriptors for brokers, stores, files, and accepted connections that wait to be closed.
    private static let reserve = 128

    /// Returns a connection limit that leaves descriptors for the health endpoint, brokers and stores.
    package static func clientLimit() -> Int { clientLimit(descriptors: current) }

    static func clientLimit(descriptors: Int) -> Int {
        let health = HealthEndpoint.Configuration.connectionLimit(descriptors: descriptors)
        // With few descriptors, clients get half of the remainder after the endpoint's share.
        return max(1, max(descriptors - health - reserve, descriptors / 2 - health / 2))
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    static var current: Int {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 1024
    }

    /// Raises the limit to the system's maximum, because each client of a gateway needs a descriptor.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}
