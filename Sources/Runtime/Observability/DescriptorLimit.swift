import Glibc

/// How many file descriptors the process may have.
package enum DescriptorLimit {
    /// For brokers, stores, files, and connections that were accepted and wait to be closed.
    private static let reserve = 128

    /// How many connections of clients leave enough descriptors to the health endpoint, brokers and stores.
    package static func roomForClients() -> Int { roomForClients(descriptors: current) }

    static func roomForClients(descriptors: Int) -> Int {
        let health = HealthEndpoint.Configuration.roomForConnections(descriptors: descriptors)
        // Where there are few, half of them.
        return max(1, max(descriptors - health - reserve, descriptors / 2 - health / 2))
    }

    /// The limit in force.
    static var current: Int {
        var limit = rlimit()
        let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return status == 0 ? Int(clamping: limit.rlim_cur) : 1024
    }

    /// Has the process have as many as the system lets it: each client of a gateway is one.
    package static func raise() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}
