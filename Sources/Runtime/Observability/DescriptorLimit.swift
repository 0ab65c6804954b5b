import Glibc

/// How many file descriptors the process may have.
package enum DescriptorLimit {
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
