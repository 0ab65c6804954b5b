/// Layout versions of a stored state that this release writes and reads.
///
/// A stored state begins with its version, one byte. During a rolling upgrade, workers receive partitions from workers
/// of the previous release, so each release reads the states of the previous release. To change a layout:
///
/// 1. Raise ``current`` by one and leave ``previous`` at the version that the last release wrote. All changes between
/// two releases
///    share one version.
/// 2. Code new fields behind `if coder.version >= …`. Fields missing from an older state keep their initial values.
/// 3. Do not change existing fields, their bits and their order.
///
/// A partition with states of other versions is not processed, because flags of drivers would be lost.
package struct StateVersions: Sendable, Hashable {
    /// The version that this release writes, and the newest that it reads.
    package let current: UInt8
    /// The version of the previous release, and the oldest that this release reads; equal to ``current`` if unchanged.
    package let previous: UInt8

    package init(current: UInt8, previous: UInt8) {
        precondition(
            previous <= current && current - previous <= 1,
            "previous must be current or current - 1.")
        self.current = current
        self.previous = previous
    }

    /// Returns the reason why a state of `version` cannot be read; `nil` if it can.
    @inline(__always) package func problem(of version: UInt8) -> StateProblem? {
        if version > current { return .newer(version: version, readable: current) }
        return version < previous ? .older(version: version, readable: previous) : nil
    }
}

/// Reason why an undamaged stored state cannot be read.
package enum StateProblem: Sendable, Hashable {
    /// Written by a newer release; `readable` is the newest readable version.
    case newer(version: UInt8, readable: UInt8)
    /// Written before the previous release; `readable` is the oldest readable version.
    case older(version: UInt8, readable: UInt8)
}
