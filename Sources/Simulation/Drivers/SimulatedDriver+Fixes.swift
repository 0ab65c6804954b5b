import Glibc
import Model
import Support

/// Taking fixes and sending them, with all that goes wrong between a satellite and a topic.
extension SimulatedDriver {
    /// Records that a device with ``DeviceVariant/roundedRetries`` sends again.
    private static let retryShare = 0.05

    mutating func report(at time: Timestamp, world: SimulationContext, ledger: inout FleetLedger) {
        let isUnderground = vehicle.isInTunnel
        if !isUnderground {
            sendCached(at: time, world: world, ledger: &ledger)
            uplink.skyAt = time
        }
        let mayCheat = isOnTrip && !isUnderground
        if !mayCheat, cheat != nil {
            cheat?.interrupt(at: time, random: &deviceRandom)
            recordWindow(at: time, forged: 0, ledger: &ledger)
        }
        // Only phones go on without satellites.
        let hasReception = noise.receiver == .phone || !isUnderground
        guard uplink.isDue(at: time, isOnTrip: isOnTrip), hasReception, var fix = measure(at: time, world: world)
        else { return }
        let isForged: Bool
        switch mayCheat ? cheatOutcome(for: fix, at: time, world: world) : .honest {
        case .honest: isForged = false
        case .forged(let forgery):
            fix = forgery
            isForged = true
        case .silent:
            recordWindow(at: time, forged: 0, ledger: &ledger)
            return
        }
        recordWindow(at: time, forged: isForged ? 1 : 0, ledger: &ledger)
        fix.sequence = uplink.takeSequence(at: time, random: &deviceRandom)
        let truth = FixTruth(
            driverID: id, sessionID: fix.sessionID, sequence: fix.sequence,
            coordinate: world.network.plane.coordinate(of: vehicle.point), takenAt: time, reported: fix.coordinate,
            reportedAccuracyMeters: fix.accuracyMeters, isForged: isForged, isOnTrip: isOnTrip,
            conditions: MeasuringConditions(
                receiver: noise.receiver,
                surroundings: world.configuration.noise.surroundings(at: vehicle.point)))
        ledger.statistics.fixes += 1
        if isUnderground {
            fix.source = .cached
            if uplink.cached.count < 500 {
                uplink.cached.append((fix, truth))
            } else {
                ledger.statistics.lostFixes += 1
            }
        } else {
            send(fix, truth: truth, at: time, world: world, ledger: &ledger)
        }
    }

    /// Draws the receiver's error at the vehicle's place; `nil` where the receiver has no fix.
    private mutating func error(at time: Timestamp, world: SimulationContext) -> PositioningNoise.Sample? {
        let point = vehicle.point
        if noise.receiver == .raw {
            if world.configuration.noise.surroundings(at: point) == .streetCanyon {
                return noise.reflection(
                    at: time, isStanding: vehicle.speedMetersPerSecond < 0.05, random: &deviceRandom)
            }
            noise.leaveCanyon()
        }
        return noise.sample(
            at: point, time: time, secondsWithoutSky: max(0, time.seconds(since: uplink.skyAt)),
            random: &deviceRandom)
    }

    /// Measures where the vehicle is; `nil` where the receiver has no fix.
    private mutating func measure(at time: Timestamp, world: SimulationContext) -> ReportedFix? {
        guard let error = error(at: time, world: world) else { return nil }
        let point = vehicle.point
        let coordinate = device.rounding.rounded(
            world.network.plane.coordinate(
                of: TangentPlane.Point(east: point.east + error.eastMeters, north: point.north + error.northMeters))
        ).written
        var fix = ReportedFix(
            coordinate: coordinate, deviceAt: device.deviceTime(at: time, random: &deviceRandom), sequence: 0,
            sessionID: uplink.sessionID)
        fix.accuracyMeters =
            error.statedAccuracyMeters?.rounded(toDecimals: 1)
            ?? device.accuracyMeters(axisSigmaMeters: error.axisSigmaMeters, random: &deviceRandom)
        measureVelocity(into: &fix, sigma: error.velocitySigmaMetersPerSecond)
        let terrain = 40 + 15 * sin(point.east / 2100) + 10 * cos(point.north / 1700)
        fix.altitudeMeters = (terrain + 0.6 * error.eastMeters + deviceRandom.normal()).rounded(toDecimals: 1)
        fix.tripID = isOnTrip ? trip?.message.tripID : nil
        fix.integrity = .passed
        fix.occupancyPercent = occupancyPercent
        if device.reportsBattery {
            fix.batteryPercent = 35 + (index * 37 + Int(time.milliseconds / 240_000)) % 60
            fix.isCharging = index % 3 == 0
        }
        if device.dialect == .mobile {
            fix.identifier = UInt128(deviceRandom.next()) << 64 | UInt128(deviceRandom.next())
        }
        return fix
    }

    /// Measures speed and heading; `sigma` is the standard deviation of the velocity, in m/s.
    private mutating func measureVelocity(into fix: inout ReportedFix, sigma: Double) {
        let speed = vehicle.speedMetersPerSecond
        // Doppler speeds of phones are good to a few tenths; standing still they mostly know.
        let measured = max(0, speed + sigma * deviceRandom.normal())
        fix.speedMetersPerSecond = (speed < 0.3 ? max(0, measured - 0.3) : measured).rounded(toDecimals: 2)
        guard measured > 0.5 else { return }
        let usualSpread = speed > 3 ? 3 : min(40, 9 / max(speed, 0.2))
        let spread = usualSpread * max(1, sigma / PositioningNoise.usualVelocitySigma)
        let heading = (vehicle.headingDegrees + spread * deviceRandom.normal()).rounded(toDecimals: 1)
        fix.headingDegrees = Geodesy.normalizedHeading(heading)
    }

    private mutating func cheatOutcome(for fix: ReportedFix, at time: Timestamp, world: SimulationContext)
        -> Cheat.Outcome
    {
        guard cheat != nil else { return .honest }
        let observation = Cheat.Observation(
            fix: fix, point: vehicle.point, plane: world.network.plane, time: time,
            isMoving: vehicle.speedMetersPerSecond > 3)
        return cheat?.outcome(of: observation, random: &deviceRandom) ?? .honest
    }

    /// Writes down when the driver began and ceased to cheat.
    private func recordWindow(at time: Timestamp, forged: Int, ledger: inout FleetLedger) {
        guard let cheat else { return }
        let last = ledger.drivers[index].windows.count - 1
        let isOpen = last >= 0 && ledger.drivers[index].windows[last].to == nil
        if cheat.isCheating, !isOpen {
            ledger.drivers[index].windows.append(CheatWindow(from: time, forgedFixes: forged))
        } else if isOpen {
            ledger.drivers[index].windows[last].forgedFixes += forged
            if !cheat.isCheating { ledger.drivers[index].windows[last].to = time }
        }
    }

    private mutating func send(
        _ fix: ReportedFix, truth: FixTruth, at time: Timestamp, world: SimulationContext, ledger: inout FleetLedger
    ) {
        let configuration = world.configuration
        // Cheaters of a track need all of it to arrive, and no forgery is excused by the network.
        let isReliable = truth.isForged || cheat?.kind == .replayedTrack
        if uplink.numbering.isLost || (!isReliable && deviceRandom.chance(configuration.lossShare)) {
            ledger.statistics.lostFixes += 1
            return
        }
        let bytes = RawRecordWriter.record(fix, driverID: id, dialect: device.dialect)
        let sentAt: Timestamp
        if !isReliable, deviceRandom.chance(configuration.reorderedShare) {
            ledger.statistics.heldUpRecords += 1
            sentAt = time.advanced(
                bySeconds: configuration.tripIntervalSeconds * deviceRandom.uniform(in: 1.2...2.8))
        } else {
            sentAt = uplink.inOrder(from: time, delaySeconds: device.delaySeconds(random: &deviceRandom))
        }
        post(
            bytes, again: variant == .roundedRetries ? retry(of: fix) : bytes, fixes: [truth], sentAt: sentAt,
            mayRepeat: !isReliable, world: world, ledger: &ledger)
    }

    private mutating func sendCached(at time: Timestamp, world: SimulationContext, ledger: inout FleetLedger) {
        guard !uplink.cached.isEmpty else { return }
        let bytes = RawRecordWriter.batch(uplink.cached.map(\.fix), driverID: id, dialect: device.dialect)
        let truths = uplink.cached.map(\.truth)
        uplink.cached.removeAll()
        ledger.statistics.batches += 1
        let sentAt =
            uplink.sendsCachedFirst
            ? uplink.inOrder(from: time, delaySeconds: deviceRandom.uniform(in: 0.02...0.1))
            : time.advanced(bySeconds: deviceRandom.uniform(in: 1.2...4))
        post(bytes, again: bytes, fixes: truths, sentAt: sentAt, mayRepeat: true, world: world, ledger: &ledger)
    }

    /// Writes a fix as a phone's store returns it: rounded to five decimals, its time cut to seconds.
    private func retry(of fix: ReportedFix) -> [UInt8] {
        var stored = fix
        stored.coordinate = CoordinateRounding.fiveDigits.rounded(fix.coordinate)
        stored.deviceAt = Timestamp(milliseconds: fix.deviceAt.milliseconds / 1000 * 1000)
        return RawRecordWriter.record(stored, driverID: id, dialect: device.dialect)
    }

    /// Posts a record, and with some probability once more as `again`.
    private mutating func post(
        _ bytes: [UInt8], again: [UInt8], fixes: [FixTruth], sentAt: Timestamp, mayRepeat: Bool,
        world: SimulationContext,
        ledger: inout FleetLedger
    ) {
        var record = SimulatedEvent.RawRecord(key: id, value: bytes, sentAt: sentAt, fixes: fixes, isRepeat: false)
        ledger.outbox.post(.rawRecord(record))
        let share = world.configuration.duplicateShare
        let repeatShare = variant == .roundedRetries ? max(share, Self.retryShare) : share
        guard mayRepeat, deviceRandom.chance(repeatShare) else { return }
        ledger.statistics.repeatedRecords += 1
        record.sentAt = sentAt.advanced(bySeconds: deviceRandom.uniform(in: 0.05...0.8))
        record.value = again
        record.isRepeat = true
        ledger.outbox.post(.rawRecord(record))
    }
}

extension Coordinate {
    /// As precise as phones report, 1 cm.
    var rounded: Coordinate { CoordinateRounding.sevenDigits.rounded(self) }

    /// With the 9 digits that a record has: a minute's parts have no end in degrees.
    fileprivate var written: Coordinate {
        Coordinate(latitude: latitude.rounded(toDecimals: 9), longitude: longitude.rounded(toDecimals: 9))
    }
}

extension Double {
    func rounded(toDecimals decimals: Int) -> Double {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        return (self * scale).rounded() / scale
    }
}
