@testable import Domain
@testable import Support

/// Fixed states with all fields set, most to different values.
enum StoredStates {
    static let start = Timestamp(milliseconds: 1_771_257_600_000)

    private static func time(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: start.milliseconds + milliseconds)
    }

    private static func point(_ latitude: Int32, _ longitude: Int32) -> GridPoint {
        var point = GridPoint()
        (point.latitude, point.longitude) = (latitude, longitude)
        return point
    }

    private static func habit(_ rate: UInt8, _ changes: UInt8) -> Habit { .init(rate: rate, expectedChanges: changes) }

    /// A driver's state with all fields set.
    static var driver: DriverState {
        var state = DriverState()
        state.seenAt = start
        state.isKnown = true
        fillOrder(&state)
        state.clock.known = .init(offsetMilliseconds: -1234, isKnown: true)
        state.clock.candidate = .init(offsetMilliseconds: 456_789, since: ShortTime(time(-60_000)), fixes: 3)
        state.clock.window = .init(risenMilliseconds: 345, since: ShortTime(time(-50_000)), fixes: 20)
        state.rate = .init(spent: 2.5, offTripSpent: 3.5, at: ShortTime(time(-900)))
        state.lastAccepted = .init(
            point: point(501_234_567, -71_234_567), at: ShortTime(time(-2100)), receivedAt: ShortTime(time(-1100)),
            lastUsableAt: ShortTime(time(-100)), pointSince: ShortTime(time(-9100)), accuracy: ShortLength(meters: 7.5),
            fixesSinceGap: 17, isKnown: true)
        state.jump = .init(
            point: point(-501_000_001, 1_799_999_999), at: ShortTime(time(-3000)), accuracy: ShortLength(meters: 12),
            fixes: 2, evidenceFixes: 1, evidence: 1.5)
        fillSignals(&state)
        fillMotion(&state)
        return state
    }

    private static func fillOrder(_ state: inout DriverState) {
        for index in 0..<8 { state.order.contents[index] = UInt16(index * 4321 + 17) }
        state.order.lastSequence = 123_456
        state.order.deviceMilliseconds = time(-2345).milliseconds
        state.order.session = 0xdead_beef
        state.order.previousSession = 0x0123_4567
        state.order.lastContent = 0x89ab_cdef
        state.order.missing.add(from: 100, through: 102)
        state.order.missing.add(from: 123_400, through: 123_400)
        (state.order.hasSequence, state.order.hasDevice, state.order.isBegun) = (true, true, true)
    }

    private static func fillSignals(_ state: inout DriverState) {
        state.fields = .init(
            accuracyHash: 11, altitudeHash: 22, speedHash: 33, fieldsRun: 4, speedRun: 5, zeroAccuracyRun: 6,
            accuracy: habit(100, 1), altitude: habit(101, 2), speed: habit(102, 3), expectedChanges: 44,
            learnedFixes: 55)
        state.rhythm = .init(milliseconds: 4003, habit: habit(103, 4), learnedFixes: 66)
        state.steps = .init(
            east: -321, north: 654, milliseconds: 3999, speed: 1011, usualUnsteadiness: 2022, recentUnsteadiness: 77,
            swerves: 88, side: 2, learnedFixes: 99, reserved: 110, intervalSeconds: 7)
        state.drift = .init(east: 250, north: -251, usual: 3033, learnedFixes: 121)
        state.window = .init(
            start: point(501_230_000, -71_230_000), at: ShortTime(time(-20_000)), startAccuracy: ShortLength(meters: 5),
            path: ShortDistance(bits: 4044), reported: ShortDistance(bits: 5055), fixes: 8, hasSpeeds: true)
        state.track = .init(hash: 0x0102_0304_0506_0708, point: point(1, -2), fixes: 13, repeatedBits: 14)
        state.overspeed = .init(
            start: point(501_200_000, -71_200_000), timeAndLeniency: 2849, startAccuracy: ShortLength(meters: 6))
        state.headings = .init(hash: 122, habit: habit(104, 5))
        state.topSignals = .init(signals: 0x0012_0f0e, weights: 0x0001_2345)
        state.risk = .init(
            evidence: 1.25, at: ShortTime(time(-500)), ambiguousEvidence: 0.75, flaggedAt: ShortTime(time(-86_400_000)),
            windowEvidence: 3.75, windowBegan: ShortTime(time(-7000)), window: 15,
            windows: 16, heldUntil: 18, holdsRelocation: true, isFlagged: true, isAnomalous: true)
        state.warnings = .init(
            recentActions: 0x1122_3344, olderActions: 0x5566_7788, lastActions: 0x99aa_bbcc, recent: 0x1357,
            older: 0x2468, window: 19)
    }

    private static func fillMotion(_ state: inout DriverState) {
        state.motion.coordinate = Coordinate(latitude: 50.123456, longitude: -7.123456)
        (state.motion.eastMetersPerSecond, state.motion.northMetersPerSecond) = (-3.5, 12.25)
        (state.motion.covariance.ee, state.motion.covariance.nn) = (9, 16)
        (state.motion.covariance.uu, state.motion.covariance.vv) = (4, 2.25)
        (state.motion.covariance.en, state.motion.covariance.eu, state.motion.covariance.ev) = (0.5, 0.25, -0.125)
        (state.motion.covariance.nu, state.motion.covariance.nv, state.motion.covariance.uv) = (1.5, -0.75, 0.375)
        (state.motion.logNoiseScale, state.motion.logVelocityNoiseScale) = (0.625, -0.875)
        state.motion.headingDegrees = 344.5
        state.motion.lasting.variance = 12.5
        (state.motion.lasting.meanEast, state.motion.lasting.meanNorth) = (-1234, 2345)
        (state.motion.isStarted, state.motion.refutations) = (true, 2)
        (state.motion.rejects.last, state.motion.rejects.count) = (point(3, -4), 5)
        (state.motion.rejects.eastCentimetersPerSecond, state.motion.rejects.northCentimetersPerSecond) = (-123, 456)
        (state.motion.rejects.agreeing, state.motion.rejects.tenths) = (3, 21)
        state.motion.halt.anchor = point(501_111_111, -71_111_111)
        state.motion.halt.seconds = 33.5
        (state.motion.halt.recentEastMeters, state.motion.halt.recentNorthMeters) = (1.5, -2.5)
        (state.motion.halt.fixes, state.motion.halt.isHalted, state.motion.halt.strays) = (6, true, 1)
    }

    /// A run of three stops; ``progress`` is a progress of its plan.
    static var trip: ActiveTrip {
        let stops = [(50.0, 7.0), (50.01, 7.02), (50.02, 7.05)].enumerated().map { index, place in
            TripMessage.Stop(
                id: "s\(index)", kind: .stop, coordinate: Coordinate(latitude: place.0, longitude: place.1),
                scheduledAt: index == 1 ? time(300_000) : nil)
        }
        let message = TripMessage(
            tripID: "run", driverID: "bus", kind: .transit, state: .inProgress, changedAt: start, version: 1,
            stops: stops, route: nil, routeID: "R1")
        return ActiveTrip(message, estimator: ArrivalEstimator(settings: ArrivalSettings()), at: start)
    }

    static var progress: TripProgress {
        var progress = TripProgress(state: .inProgress, version: 98_765, stopCount: 3, at: time(-600_000))
        progress.recordedAt = start
        progress.position = TripEta.Position(
            coordinate: Coordinate(latitude: 50.0125, longitude: 7.03), headingDegrees: 71.5,
            speedMetersPerSecond: 8.25, accuracyMeters: 4.5, fixedAt: time(-400))
        progress.positionConfidence = .high
        progress.occupancyPercent = 62
        progress.occupancyAt = time(-120_000)
        progress.shown = ShownPosition(
            coordinate: Coordinate(latitude: 50.0126, longitude: 7.0301), accuracyMeters: 3.75)
        progress.routeVariance = 81.5
        progress.standingBudget.seconds = 42.5
        fillMatch(&progress.match)
        progress.nextStop = 2
        progress.stops[0].passedAt = time(-300_000)
        progress.stops[0].delay = .early
        (progress.stops[1].passedAt, progress.stops[1].firstPublishedAt) = (time(-30_000), time(-45_000))
        (progress.stops[1].delay, progress.stops[1].delayChangedAt) = (.onTime, time(-120_000))
        (progress.stops[2].publishedAt, progress.stops[2].delay) = (time(240_000), .delayed)
        progress.atStop = 1
        progress.closestMeters = 37.5
        progress.recentSpeed = RecentTripSpeed(actualSeconds: 210.5, expectedSeconds: 190.25, plannedSeconds: 180.125)
        progress.slowSince = time(-7000)
        (progress.arrival.nearSince, progress.arrival.hasArrived) = (time(-11_000), true)
        (progress.drivenMeters, progress.snappedMeters) = (4321.5, 4300.25)
        (progress.startedAt, progress.endedAt) = (time(-500_000), time(-9000))
        progress.preceding = .init(
            coordinate: Coordinate(latitude: 49.99, longitude: 6.98), arrivesAt: time(95_000), metersLeft: 1500.5)
        progress.expectedSeconds = [1.5, 140.25, 250.75]
        progress.expectedAt = time(-15_000)
        progress.spreads = [
            LearnedSpread(low: -12.5, middle: 1.25, high: 30), LearnedSpread(low: -20, middle: 2.5, high: 60),
        ]
        progress.probes = [ArrivalProbe(stop: 2, etaSeconds: 233.5, arrivesAt: time(233_100))]
        (progress.recordedHalted, progress.recordedStale, progress.recordedAvailable) = (true, true, true)
        (progress.recordedSilent, progress.isProvisional) = (true, true)
        progress.deviation = RouteDeviation(
            beganAt: time(-42_000), greatestMeters: 321.5, isWarned: true, backSince: time(-1400))
        return progress
    }

    private static func fillMatch(_ match: inout RouteMatch) {
        (match.alongMeters, match.matchedAt, match.distanceMeters) = (3456.75, time(-450), 6.125)
        (match.isOffRoute, match.offRouteFixes, match.backwardFixes) = (true, 3, 1)
        (match.candidateMeters, match.candidateAt, match.candidateFixes) = (2345.5, time(-4450), 2)
    }

    /// A broadcast state with stops of several statuses.
    static var broadcast: BroadcastState {
        var state = BroadcastState()
        (state.hasEnded, state.isStale) = (true, true)
        (state.sentFixedAt, state.isSilent, state.isEtaStale) = (time(-900), true, true)
        state.tripState = .arrived
        (state.locationDueAt, state.fixedAt, state.etaAt) = (time(1600), start, time(-2400))
        for interval in [4000, 3999, 4001, -1, 0, 120_000, 64, -65, 7, 2_000_000_000] as [Int32] {
            state.intervals.add(interval)
        }
        state.traffic = .moderate
        state.stops = Array(repeating: BroadcastState.Stop(), count: 3)
        (state.stops[0].status, state.stops[0].delay, state.stops[0].arrivesAt) = (.passed, .early, time(-300_000))
        (state.stops[1].status, state.stops[1].delay, state.stops[1].confidence) = (.valid, .delayed, .high)
        (state.stops[1].arrivesAt, state.stops[1].awaitsConfirmation) = (time(240_000), true)
        state.detectedArrivalStopID = "Kräme 中"
        (state.notifiedStop, state.notifiedArrivesAt) = (1, time(230_000))
        (state.driverHash, state.factsHash) = (0x0102_0304_0506_0708, 0x1122_3344_5566_7788)
        state.stage = .arrivedDestination
        state.hasSentOccupancy = true
        state.routeID = "R-14"
        return state
    }
}
