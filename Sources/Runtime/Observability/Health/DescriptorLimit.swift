import Glibc

/// How many file descriptors the process may have.
enum DescriptorLimit {
    /// The limit in force.
    static var current: Int {
        var limit = rlimit()
        let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return status == 0 ? Int(clamping: limit.rlim_cur) : 1024
    }
}
