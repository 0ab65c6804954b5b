import Domain
import Glibc
import Support

/// Measures and sends fixes, including faults of receivers and networks.
extension SimulatedDriver {
    /// Share of records that a device with ``DeviceVariant/roundedRetries`` sends again.
    private static let retryShare = 0.05

    mutating func report(at time: Timestamp, context: inout SimulationContext) {
        let isUnderground = vehicle.isInTunnel
        if !isUnderground {
            sendCached(at: time, context: &context)
            networkModel.lastReceptionAt = time
        }
        let mayCheat = isOnTrip && !isUnderground
        if !mayCheat, cheat != nil {
            cheat?.interrupt(at: time, random: &deviceRandom)
            recordWindow(at: time, forged: 0, context: &context)
        }
        // Only phones report positions without satellites.
        let hasReception = noise.receiver == .phone || !isUnderground
        guard networkModel.isDue(at: time, isOnTrip: isOnTrip), hasReception,
            var fix = measure(at: time, context: context)
        else { return }
        let isForged: Bool
        switch mayCheat ? cheatOutcome(for: fix, at: time, context: context) : .honest {
        case .honest: isForged = false
        case .forged(let forgery):
            fix = forgery
            isForged = true
        case .silent:
            recordWindow(at: time, forged: 0, context: &context)
            return
        }
        recordWindow(at: time, forged: isForged ? 1 : 0, context: &context)
        fix.sequence = networkModel.nextSequence(at: time, random: &deviceRandom)
        let truth = FixGroundTruth(
            driverID: id, sessionID: fix.sessionID, sequence: fix.sequence,
            coordinate: context.network.plane.coordinate(of: vehicle.point), takenAt: time, reported: fix.coordinate,
            reportedAccuracyMeters: fix.accuracyMeters, isForged: isForged, isOnTrip: isOnTrip,
            conditions: ReceptionConditions(
                receiver: noise.receiver,
                environment: context.configuration.noise.environment(at: vehicle.point)))
        if isUnderground {
            fix.source = .cached
            if networkModel.cached.count < 500 {
                networkModel.cached.append((fix, truth))
            } else {
                context.output.lostFixes += 1
            }
        } else {
            send(fix, truth: truth, at: time, context: &context)
        }
    }

    /// Draws the receiver's error at the vehicle's position; `nil` if the receiver has no fix.
    private mutating func error(at time: Timestamp, context: SimulationContext) -> PositioningNoise.Sample? {
        let point = vehicle.point
        if noise.receiver == .raw {
            if context.configuration.noise.environment(at: point) == .streetCanyon {
                return noise.reflection(
                    at: time, isStanding: vehicle.speedMetersPerSecond < 0.05, random: &deviceRandom)
            }
            noise.leaveCanyon()
        }
        return noise.sample(
            at: point, time: time, secondsWithoutReception: max(0, time.seconds(since: networkModel.lastReceptionAt)),
            random: &deviceRandom)
    }

    /// Measures the vehicle's position; `nil` if the receiver has no fix.
    private mutating func measure(at time: Timestamp, context: SimulationContext) -> ReportedFix? {
        guard let error = error(at: time, context: context) else { return nil }
        let point = vehicle.point
        let coordinate = device.rounding.rounded(
            context.network.plane.coordinate(
                of: TangentPlane.Point(east: point.east + error.eastMeters, north: point.north + error.northMeters))
        ).written
        var fix = ReportedFix(
            coordinate: coordinate, deviceAt: device.deviceTime(at: time, random: &deviceRandom), sequence: 0,
            sessionID: networkModel.sessionID)
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
        if device.format == .mobile {
            fix.identifier = UInt128(deviceRandom.next()) << 64 | UInt128(deviceRandom.next())
        }
        return fix
    }

    /// Measures speed and heading; `sigma` is the standard deviation of the velocity, in m/s.
    private mutating func measureVelocity(into fix: inout ReportedFix, sigma: Double) {
        let speed = vehicle.speedMetersPerSecond
        // Doppler speeds of phones are accurate to a few tenths of a m/s, and mostly 0 while standing.
        let measured = max(0, speed + sigma * deviceRandom.normal())
        fix.speedMetersPerSecond = (speed < 0.3 ? max(0, measured - 0.3) : measured).rounded(toDecimals: 2)
        guard measured > 0.5 else { return }
        let usualSpread = speed > 3 ? 3 : min(40, 9 / max(speed, 0.2))
        let spread = usualSpread * max(1, sigma / PositioningNoise.usualVelocitySigma)
        let heading = (vehicle.headingDegrees + spread * deviceRandom.normal()).rounded(toDecimals: 1)
        fix.headingDegrees = Geodesy.normalizedHeading(heading)
    }

    private mutating func cheatOutcome(for fix: ReportedFix, at time: Timestamp, context: SimulationContext)
        -> Cheat.Outcome
    {
        guard cheat != nil else { return .honest }
        let observation = Cheat.Observation(
            fix: fix, point: vehicle.point, plane: context.network.plane, time: time,
            isMoving: vehicle.speedMetersPerSecond > 3)
        return cheat?.outcome(of: observation, random: &deviceRandom) ?? .honest
    }

    /// Opens, extends or closes the driver's cheat window in the ground truth.
    private func recordWindow(at time: Timestamp, forged: Int, context: inout SimulationContext) {
        guard let cheat else { return }
        let last = context.output.drivers[index].windows.count - 1
        let isOpen = last >= 0 && context.output.drivers[index].windows[last].to == nil
        if cheat.isCheating, !isOpen {
            context.output.drivers[index].windows.append(CheatWindow(from: time, forgedFixes: forged))
        } else if isOpen {
            context.output.drivers[index].windows[last].forgedFixes += forged
            if !cheat.isCheating { context.output.drivers[index].windows[last].to = time }
        }
    }

    private mutating func send(
        _ fix: ReportedFix, truth: FixGroundTruth, at time: Timestamp, context: inout SimulationContext
    ) {
        let configuration = context.configuration
        // A replayed track must arrive completely, and network faults must not hide forgeries.
        let isReliable = truth.isForged || cheat?.kind == .replayedTrack
        if networkModel.numbering.isLost || (!isReliable && deviceRandom.chance(configuration.lossShare)) {
            context.output.lostFixes += 1
            return
        }
        let bytes = RawRecordWriter.record(fix, driverID: id, format: device.format)
        let sentAt: Timestamp
        if !isReliable, deviceRandom.chance(configuration.reorderedShare) {
            sentAt = time.advanced(
                bySeconds: configuration.tripIntervalSeconds * deviceRandom.uniform(in: 1.2...2.8))
        } else {
            sentAt = networkModel.inOrder(from: time, delaySeconds: device.delaySeconds(random: &deviceRandom))
        }
        post(
            bytes, again: variant == .roundedRetries ? retry(of: fix) : bytes, fixes: [truth], sentAt: sentAt,
            mayRepeat: !isReliable, context: &context)
    }

    private mutating func sendCached(at time: Timestamp, context: inout SimulationContext) {
        guard !networkModel.cached.isEmpty else { return }
        let bytes = RawRecordWriter.batch(networkModel.cached.map(\.fix), driverID: id, format: device.format)
        let truths = networkModel.cached.map(\.truth)
        networkModel.cached.removeAll()
        let sentAt =
            networkModel.sendsCachedFirst
            ? networkModel.inOrder(from: time, delaySeconds: deviceRandom.uniform(in: 0.02...0.1))
            : time.advanced(bySeconds: deviceRandom.uniform(in: 1.2...4))
        post(bytes, again: bytes, fixes: truths, sentAt: sentAt, mayRepeat: true, context: &context)
    }

    /// Returns the record of a fix as a phone stores it: rounded to five decimals, its time truncated to seconds.
    private func retry(of fix: ReportedFix) -> [UInt8] {
        var stored = fix
        stored.coordinate = CoordinateRounding.fiveDigits.rounded(fix.coordinate)
        stored.deviceAt = Timestamp(milliseconds: fix.deviceAt.milliseconds / 1000 * 1000)
        return RawRecordWriter.record(stored, driverID: id, format: device.format)
    }

    /// Posts a record, and with some probability once more as `again`.
    private mutating func post(
        _ bytes: [UInt8], again: [UInt8], fixes: [FixGroundTruth], sentAt: Timestamp, mayRepeat: Bool,
        context: inout SimulationContext
    ) {
        var record = SimulatedEvent.RawRecord(key: id, value: bytes, sentAt: sentAt, fixes: fixes, isRepeat: false)
        context.output.events.post(.rawRecord(record))
        let share = context.configuration.duplicateShare
        let repeatShare = variant == .roundedRetries ? max(share, Self.retryShare) : share
        guard mayRepeat, deviceRandom.chance(repeatShare) else { return }
        record.sentAt = sentAt.advanced(bySeconds: deviceRandom.uniform(in: 0.05...0.8))
        record.value = again
        record.isRepeat = true
        context.output.events.post(.rawRecord(record))
    }
}

extension Coordinate {
    /// Rounded to the resolution of phones, 1 cm.
    var rounded: Coordinate { CoordinateRounding.sevenDigits.rounded(self) }

    /// Rounded to the 9 decimals of a record, because most decimal minutes are infinite decimals in degrees.
    fileprivate var written: Coordinate {
        Coordinate(latitude: latitude.rounded(toDecimals: 9), longitude: longitude.rounded(toDecimals: 9))
    }
}

extension Double {
    package func rounded(toDecimals decimals: Int) -> Double {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        return (self * scale).rounded() / scale
    }
}
