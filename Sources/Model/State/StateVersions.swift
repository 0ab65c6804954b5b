/// The versions of the layout of a stored state that this release writes and reads.
///
/// A stored state begins with its version, in one byte. States live in topics, where workers of two releases meet: in a
/// rolling upgrade, and when it is undone. So each release reads what the one before it wrote. To change a layout:
///
/// 1. Raise ``current`` by one, and leave ``previous`` at what the last release wrote. Changes between two releases
///    share one version.
/// 2. Code new fields behind `if coder.version >= …`. Fields that an older state lacks keep their initial values; when
///    a state is written for the previous release, they are left out.
/// 3. Leave the fields that there were, and their bits and order, as they are.
///
/// A state of any other version is not read, and its partition not carried on: what it says of a driver, such as a flag,
/// would be forgotten.
package struct StateVersions: Sendable, Hashable {
    /// What this release writes, and the newest that it reads.
    package let current: UInt8
    /// What the release before this one wrote, and reads; equal to ``current`` where nothing has changed since.
    package let previous: UInt8

    package init(current: UInt8, previous: UInt8) {
        precondition(
            previous <= current && current - previous <= 1,
            "A release reads the version that it writes and at most the one before.")
        self.current = current
        self.previous = previous
    }

    /// The version in which a state is written.
    @inline(__always)
    package func version(as form: StateForm) -> UInt8 { form == .current ? current : previous }

    /// Why a state of a version cannot be read; `nil` for one that can.
    @inline(__always)
    package func problem(of version: UInt8) -> StateProblem? {
        if version > current { return .newer(version: version, readable: current) }
        return version < previous ? .older(version: version, readable: previous) : nil
    }
}

/// For whom states are written.
package enum StateForm: Sendable {
    /// For this release and the next one.
    case current
    /// For the release before this one, which can then take over partitions from this one.
    case previous
}

/// Why a stored state cannot be read, although it is whole.
package enum StateProblem: Sendable, Hashable {
    /// A newer release wrote it; `readable` is the newest version that can be read.
    case newer(version: UInt8, readable: UInt8)
    /// A release before the last one wrote it; `readable` is the oldest version that can be read.
    case older(version: UInt8, readable: UInt8)
}
