import Foundation

/// Faults of the workers themselves.
extension FaultInjector {
    func kill() throws -> String {
        let worker = try victim(randomKind())
        fleet.kill(worker)
        let pause = Double(random(0...15)) / 10
        try fleet.wait(seconds: pause)
        try fleet.start(worker.kind)
        return "kill -9 \(worker.name), another started \(pause) s later"
    }

    func killGateway() throws -> String {
        guard let riders else { throw SkippedFault(reason: "no rider-gateway runs beside an older build") }
        let pause = Double(random(0...30)) / 10
        clientRecoverySeconds = try riders.killGateway(pause: pause, seconds: patienceSeconds, fleet)
        if clientRecoverySeconds == nil {
            violations.append("not every client of rider-gateway is served again after \(Int(patienceSeconds)) s")
        }
        return "kill -9 rider-gateway, another started \(pause) s later"
    }

    func killWhileScaling() throws -> String {
        let kind = randomKind()
        var story = "scaling \(kind.program) to"
        for count in [random(2...4), random(1...3), random(2...4)] {
            try fleet.scale(kind, to: count)
            story += " \(count)"
            try fleet.wait(seconds: Double(random(5...40)) / 10)
            let worker = try victim(kind)
            fleet.kill(worker)
            story += " (kill -9 number \(worker.number))"
        }
        try fleet.scale(kind, to: max(1, fleet.running(kind).count))
        return story
    }

    /// Partitions go to a new worker, and on to the next before it has read back their state.
    func killDuringRestore() throws -> String {
        let kind: WorkerKind = [.location, .eta, .broadcast][random(0...2)]
        let second = try fleet.start(kind)
        let caught = try fleet.wait(upTo: 15) { second.isRestoring }
        let third = try fleet.start(kind)
        try fleet.wait(seconds: Double(random(0...3)) / 10)
        fleet.kill(second)
        let moment = caught == nil ? "before it was seen restoring" : "while it restored"
        return "\(third.name) started and \(second.name) killed -9 \(moment)"
    }

    /// SIGSTOP past the session timeout, takeover, SIGCONT: the zombie must change nothing.
    func freeze() throws -> String {
        let kind = randomKind()
        try fleet.scale(kind, to: 2)
        guard try lag.waitUntilCaughtUp(seconds: 40) != nil else {
            throw ChaosError("Two \(kind.program)s do not share the partitions: \(lag.summary())")
        }
        let worker = try victim(kind)
        worker.send(SIGSTOP)
        let began = ContinuousClock.now
        let takeover = try lag.waitUntilCaughtUp(seconds: 40)
        if takeover == nil { violations.append("no worker took over the partitions of the frozen \(worker.name)") }
        let least = max(0, services.sessionTimeoutSeconds + 3 - began.seconds)
        try fleet.wait(seconds: least + Double(random(0...30)) / 10)
        let seconds = began.seconds
        worker.send(SIGCONT)
        return
            "SIGSTOP \(worker.name) for \(Text.seconds(seconds)), taken over after \(Text.seconds(takeover)), SIGCONT"
    }

    /// An ordered end in the middle of work: within 20 s, and the next worker finds nothing to do twice.
    func terminate() throws -> String {
        let kind = randomKind()
        let worker = try victim(kind)
        let seconds = fleet.terminate(worker)
        if seconds.map({ $0 >= 20 }) ?? true { violations.append("\(worker.name) took 20 s or more to leave") }
        if !worker.exitedCleanly { violations.append("\(worker.name) ended with \(worker.ending) on SIGTERM") }
        let next = try fleet.start(kind)
        afterRecovery = { [self] in
            let repeated = next.metrics().map {
                $0.sum("sightline_outputs_repeated_total") + $0.sum("sightline_records_repeated_total")
            }
            if let repeated, repeated > 0 { violations.append("\(next.name) did \(Int(repeated)) records again") }
        }
        return "SIGTERM \(worker.name), which left after \(Text.seconds(seconds))"
    }

    /// One worker's wall clock jumps, forth and back; it must not matter.
    func jumpClock() throws -> String {
        let kind = randomKind()
        let clock = try WallClockFile(path: "\(folder)/clock-\(kind.rawValue)")
        let old = fleet.running(kind)
        try fleet.start(kind, extra: clock.environment)
        for worker in old {
            _ = try fleet.waitForPartitions(kind)
            _ = fleet.terminate(worker)
        }
        guard try lag.waitUntilCaughtUp(seconds: 40) != nil else {
            throw ChaosError("The \(kind.program) with a clock of its own does not work: \(lag.summary())")
        }
        let day: Int64 = 86_400
        let jumps = [90, -90, 10_800, -10_800, 400 * day, -400 * day].shuffled(using: &generator).prefix(3)
        for jump in jumps {
            clock.set(seconds: jump)
            try fleet.wait(seconds: 1)
            if try lag.waitUntilCaughtUp(seconds: 20) == nil {
                violations.append("the \(kind.program) does not work with its clock off by \(jump) s")
            }
        }
        clock.set(seconds: 0)
        return "the clock of \(kind.program) jumped by \(jumps.map(String.init).joined(separator: ", ")) s and back"
    }
}
