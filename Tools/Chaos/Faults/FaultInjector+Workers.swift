import Foundation

/// Faults of workers and of the rider-gateway.
extension FaultInjector {
    func kill() throws -> String {
        let worker = try randomWorker(of: randomKind())
        fleet.kill(worker)
        let pause = randomSeconds(tenths: 0...15)
        try fleet.wait(seconds: pause)
        try fleet.start(worker.kind)
        return "kill -9 \(worker.name), another started \(pause) s later"
    }

    func killGateway() throws -> String {
        guard let riders = pipeline.riders else { throw SkippedFault(reason: "the soak has no rider-gateway") }
        let pause = randomSeconds(tenths: 0...30)
        clientRecoverySeconds = try riders.killGateway(pause: pause, seconds: Self.timeoutSeconds, fleet)
        if clientRecoverySeconds == nil {
            violations.append("a client of rider-gateway receives no events within \(Int(Self.timeoutSeconds)) s")
        }
        return "kill -9 rider-gateway, another started \(pause) s later"
    }

    func killWhileScaling() throws -> String {
        let kind = randomKind()
        var description = "scaling \(kind.program) to"
        for count in [random(2...4), random(1...3), random(2...4)] {
            try fleet.scale(kind, to: count)
            description += " \(count)"
            try fleet.wait(seconds: randomSeconds(tenths: 5...40))
            let worker = try randomWorker(of: kind)
            fleet.kill(worker)
            description += " (kill -9 number \(worker.number))"
        }
        try fleet.scale(kind, to: max(1, fleet.running(kind).count))
        return description
    }

    /// Starts two workers and kills the first while it restores its partitions.
    func killDuringRestore() throws -> String {
        let kind: WorkerKind = [.location, .eta, .broadcast][random(0...2)]
        let second = try fleet.start(kind)
        let caught = try fleet.wait(upTo: 15) { second.isRestoring }
        let third = try fleet.start(kind)
        try fleet.wait(seconds: randomSeconds(tenths: 0...3))
        fleet.kill(second)
        let moment = caught == nil ? "before a restore was observed" : "during its restore"
        return "\(third.name) started and \(second.name) killed -9 \(moment)"
    }

    /// Freezes a worker past its session timeout and resumes it after the takeover.
    func freeze() throws -> String {
        let kind = randomKind()
        try fleet.scale(kind, to: 2)
        guard try lag.waitUntilCaughtUp(seconds: 40) != nil else {
            throw ChaosError("Two \(kind.program)s do not share the partitions: \(lag.summary())")
        }
        let worker = try randomWorker(of: kind)
        worker.send(SIGSTOP)
        let began = ContinuousClock.now
        let takeover = try lag.waitUntilCaughtUp(seconds: 40)
        if takeover == nil { violations.append("no worker took over the partitions of the frozen \(worker.name)") }
        let minimum = max(0, services.sessionTimeoutSeconds + 3 - began.elapsedSeconds)
        try fleet.wait(seconds: minimum + randomSeconds(tenths: 0...30))
        let seconds = began.elapsedSeconds
        worker.send(SIGCONT)
        return
            "SIGSTOP \(worker.name) for \(Text.seconds(seconds)), taken over after \(Text.seconds(takeover)), SIGCONT"
    }

    /// Terminates a worker under load: it must exit within 20 s, and its successor must not repeat records.
    func terminate() throws -> String {
        let kind = randomKind()
        let worker = try randomWorker(of: kind)
        let seconds = fleet.terminate(worker)
        if seconds.map({ $0 >= 20 }) ?? true { violations.append("\(worker.name) took 20 s or more to exit") }
        let ending = worker.process.wait()
        if ending != .exit(0) { violations.append("\(worker.name) exited with \(ending) on SIGTERM") }
        let next = try fleet.start(kind)
        afterRecovery = { [self] in
            let repeated = next.metrics().map {
                $0.sum("sightline_outputs_repeated_total") + $0.sum("sightline_records_repeated_total")
            }
            if let repeated, repeated > 0 { violations.append("\(next.name) repeated \(Int(repeated)) records") }
        }
        return "SIGTERM \(worker.name), which exited after \(Text.seconds(seconds))"
    }

    /// Replaces the workers of one kind by a worker with an adjustable wall clock, and shifts that clock.
    func jumpClock() throws -> String {
        let kind = randomKind()
        let clock = try WallClockFile(path: "\(pipeline.folder)/clock-\(kind.rawValue)")
        let old = fleet.running(kind)
        try fleet.start(kind, extra: clock.environment)
        for worker in old {
            _ = try fleet.waitForPartitions(kind)
            _ = fleet.terminate(worker)
        }
        guard try lag.waitUntilCaughtUp(seconds: 40) != nil else {
            throw ChaosError("The \(kind.program) with an adjustable clock does not catch up: \(lag.summary())")
        }
        let day: Int64 = 86_400
        let jumps = [90, -90, 10_800, -10_800, 400 * day, -400 * day].shuffled(using: &generator).prefix(3)
        for jump in jumps {
            clock.set(seconds: jump)
            try fleet.wait(seconds: 1)
            if try lag.waitUntilCaughtUp(seconds: 20) == nil {
                violations.append("the \(kind.program) does not catch up with its clock off by \(jump) s")
            }
        }
        clock.set(seconds: 0)
        return "the clock of \(kind.program) jumped by \(jumps.map(String.init).joined(separator: ", ")) s and back"
    }

    func restartAll() throws -> String {
        for kind in WorkerKind.allCases {
            for old in fleet.running(kind) {
                let new = try fleet.start(kind)
                // In a rolling restart, the old worker ends only after the new worker has partitions.
                if try !fleet.waitForPartitions(kind) { violations.append("\(new.name) has no partitions") }
                if try lag.waitUntilCaughtUp(seconds: 40) == nil {
                    violations.append("\(new.name) does not share the partitions with \(old.name): \(lag.summary())")
                }
                if fleet.terminate(old) == nil { violations.append("\(old.name) took 25 s or more to exit") }
            }
            if try lag.waitUntilCaughtUp(seconds: 40) == nil {
                violations.append("the new \(kind.program)s do not take over: \(lag.summary())")
            }
        }
        return "all workers replaced one by one"
    }
}
