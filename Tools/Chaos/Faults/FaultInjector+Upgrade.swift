import Foundation

/// Upgrades of the workers while they work.
extension FaultInjector {
    /// A rolling upgrade from the older build, which is undone, repeated and made final; without an older build every
    /// worker is replaced once.
    ///
    /// Readers go first forwards, because a reader of the older build does not know what writers of this one write;
    /// backwards they go last.
    func upgrade() throws -> String {
        guard let programs = services.otherBuild else {
            for kind in WorkerKind.allCases { try replace(kind, by: .own) }
            return "all workers replaced one by one, by the same build"
        }
        let flags = try FlaggedDrivers(environment, partitions: partitions)
        try flags.raise(fleet, lag)
        try Arena.prepare(environment, partitions: partitions, by: .own)
        let readersFirst: [WorkerKind] = [.history, .position, .broadcast, .eta, .location]
        for build in [.careful, Build(programs: programs), .careful, .own] {
            for kind in build.programs == nil ? readersFirst : readersFirst.reversed() {
                try replace(kind, by: build)
                try flags.renew()
            }
        }
        if try lag.waitUntilCaughtUp(seconds: 60) == nil { violations.append("the lag stays: \(lag.summary())") }
        violations += try flags.findings()
        return "upgraded from \(programs), back, again, and without states for the older build"
    }

    private func replace(_ kind: WorkerKind, by build: Build) throws {
        fleet.builds[kind] = build
        for old in fleet.running(kind) {
            let new = try fleet.start(kind)
            // As an operator waits for the new one to work before the old one is ended.
            if try !fleet.waitForPartitions(kind) {
                violations.append("\(new.name) of \(build.name) was given no partition")
            }
            if try lag.waitUntilCaughtUp(seconds: 40) == nil {
                violations.append("\(new.name) does not share the partitions with \(old.name): \(lag.summary())")
            }
            if fleet.terminate(old) == nil { violations.append("\(old.name) took 25 s or more to leave") }
        }
        if try lag.waitUntilCaughtUp(seconds: 40) == nil {
            violations.append("\(kind.program)s of \(build.name) do not take over: \(lag.summary())")
        }
    }
}
