import Support

/// Layout: version (1 byte), plan fingerprint (8), flags (4), then the fields, optional ones if their flag is set.
extension TripProgress {
    /// See ``StateVersions`` before changing the layout.
    static let versions = StateVersions(current: 1, previous: 1)
    /// Maximum stops of a readable state, to detect damaged bytes.
    private static let stopLimit = 4096

    /// Maximum bytes that ``encode(into:plan:)`` writes.
    var maximumEncodedByteCount: Int {
        StateWriter.headByteCount + StateWriter.maximumByteCount(of: TripProgress.self)
            + StateWriter.maximumByteCount(of: Stop.self, count: stops.count)
            + StateWriter.maximumByteCount(of: Float.self, count: expectedSeconds.count + pieceSeconds.count)
            + StateWriter.maximumByteCount(of: LearnedSpread.self, count: spreads.count)
            + StateWriter.maximumByteCount(of: ArrivalProbe.self, count: probes.count)
    }

    /// Encodes the progress and returns the number of bytes; `mutating` only to avoid a copy.
    mutating func encode(into buffer: UnsafeMutableRawBufferPointer, plan: TripPlan) -> Int {
        var writer = StateWriter(buffer, atMost: maximumEncodedByteCount)
        code(with: &writer, plan: plan)
        return writer.count
    }

    /// Decodes the progress; `nil` for damaged bytes, an unsupported version or another plan.
    init?(_ bytes: UnsafeRawBufferPointer, plan: TripPlan) {
        self.init(state: .requested, version: nil, stopCount: 0, at: Timestamp(milliseconds: 0))
        var reader = StateReader(bytes)
        code(with: &reader, plan: plan)
        guard reader.hasReadAll else { return nil }
    }

    private mutating func code<Coder: StateCoder>(with coder: inout Coder, plan: TripPlan) {
        coder.code(Self.versions)
        coder.code(constant: plan.fingerprint)
        let flags = coder.beginFlags(UInt32.self)
        coder.code(&recordedAt)
        let base = recordedAt
        coder.code(&state)
        coder.code(compact: &version, bit: 0)
        coder.code(&stateChangedAt, near: base)
        coder.code(&positionConfidence)
        coder.code(compact: &occupancyPercent, bit: 3)
        coder.code(&position, bit: 1, initial: .blank) { $0.code(with: &$1, near: base) }
        match.code(with: &coder, near: base)
        recentSpeed.code(with: &coder)
        coder.code(&drivenMeters)
        coder.code(&snappedMeters)
        coder.code(compact: &atStop, bit: 9)
        coder.code(&closestMeters, bit: 10)
        coder.code(&slowSince, near: base, bit: 11)
        coder.code(&arrival.nearSince, near: base, bit: 12)
        coder.code(&arrival.hasArrived, bit: 13)
        coder.code(&preceding, bit: 14, initial: .blank) { $0.code(with: &$1, near: base) }
        coder.code(&expectedAt, near: base, bit: 16)
        codeStops(with: &coder, planned: plan.stops.count, near: base)
        coder.code(&recordedHalted, bit: 17)
        coder.code(&recordedStale, bit: 18)
        coder.code(&recordedAvailable, bit: 19)
        codeRoute(with: &coder, pieces: plan.pieces.count, near: base)
        coder.endFlags(flags)
    }

    /// Codes the fields after the stops: flags, deviation, shown position, budget, pieces and settlement.
    private mutating func codeRoute<Coder: StateCoder>(with coder: inout Coder, pieces: Int, near base: Timestamp) {
        coder.code(&recordedSilent, bit: 22)
        coder.code(&isProvisional, bit: 23)
        coder.code(&deviation, bit: 24, initial: RouteDeviation(beganAt: base, greatestMeters: 0)) { deviation, coder in
            coder.code(&deviation.beganAt, near: base)
            coder.code(&deviation.greatestMeters)
            coder.code(&deviation.isWarned, bit: 25)
            coder.code(&deviation.backSince, near: base, bit: 26)
        }
        coder.code(&routeVariance)
        coder.code(&shown, bit: 27, initial: .blank) { $0.code(with: &$1) }
        if coder.flag(standingBudget.seconds > 0, bit: 28) { coder.code(&standingBudget.seconds) }
        coder.require(standingBudget.seconds >= 0 && standingBudget.seconds <= StandingBudget.limitSeconds)
        if coder.flag(!pieceSeconds.isEmpty, bit: 29) {
            coder.code(&pieceSeconds, count: pieces, initial: 0) { $1.code(&$0) }
        }
        coder.code(&startedAt, near: base, bit: 30)
        coder.code(&endedAt, near: base, bit: 31)
        if occupancyPercent != nil { coder.code(&occupancyAt, near: base) }
    }

    /// Codes the stops with learned times, spreads and probes.
    private mutating func codeStops<Coder: StateCoder>(with coder: inout Coder, planned: Int, near base: Timestamp) {
        var count = stops.count
        coder.code(compact: &count)
        coder.code(compact: &nextStop)
        coder.require(count == planned && count <= Self.stopLimit && (0...planned).contains(nextStop))
        coder.require(atStop.map { (0..<planned).contains($0) } ?? true)
        coder.code(&stops, count: count, initial: Stop()) { $0.code(with: &$1, near: base) }
        if coder.flag(!expectedSeconds.isEmpty, bit: 15) {
            coder.code(&expectedSeconds, count: count, initial: 0) { $1.code(&$0) }
        }
        coder.code(&spreads, bit: 20, initial: LearnedSpread(low: 0, middle: 0, high: 0)) { spread, coder in
            coder.code(&spread.low)
            coder.code(&spread.middle)
            coder.code(&spread.high)
        }
        coder.code(&probes, bit: 21, initial: ArrivalProbe(stop: 0, etaSeconds: 0, arrivesAt: base)) { probe, coder in
            coder.code(compact: &probe.stop)
            coder.require((0..<planned).contains(probe.stop))
            coder.code(&probe.etaSeconds)
            coder.code(&probe.arrivesAt, near: base)
        }
    }
}

extension TripProgress.Stop {
    /// Codes a byte with delay (2 bits), presence of the times (4) and unused bits (2), then the times.
    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder, near base: Timestamp) {
        let flags = coder.beginFlags(UInt8.self)
        coder.code(&delay, bits: 0)
        coder.code(&passedAt, near: base, bit: 2)
        coder.code(&firstPublishedAt, near: base, bit: 3)
        coder.code(&delayChangedAt, near: base, bit: 4)
        coder.code(&publishedAt, near: base, bit: 5)
        let unused = coder.flag(0, bit: 6, width: 2)
        coder.require(unused == 0)
        coder.endFlags(flags)
    }
}

extension TripProgress.Preceding {
    fileprivate static let blank = TripProgress.Preceding(
        coordinate: Coordinate(latitude: 0, longitude: 0), arrivesAt: Timestamp(milliseconds: 0), metersLeft: 0)

    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder, near base: Timestamp) {
        coder.code(&coordinate)
        coder.code(&arrivesAt, near: base)
        coder.code(&metersLeft)
    }
}

extension TripEta.Position {
    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder, near base: Timestamp) {
        coder.code(&coordinate)
        coder.code(&headingDegrees, bit: 2)
        coder.code(&speedMetersPerSecond)
        coder.code(&accuracyMeters)
        coder.code(&fixedAt, near: base)
    }
}

extension ShownPosition {
    fileprivate static let blank = ShownPosition(coordinate: Coordinate(latitude: 0, longitude: 0), accuracyMeters: 0)

    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        coder.code(&coordinate)
        coder.code(&accuracyMeters)
    }
}

extension RouteMatch {
    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder, near base: Timestamp) {
        coder.code(&alongMeters, bit: 4)
        coder.code(&matchedAt, near: base)
        coder.code(&distanceMeters, bit: 5)
        coder.code(&isOffRoute, bit: 6)
        if coder.flag(offRouteFixes > 0 || backwardFixes > 0 || candidateFixes > 0, bit: 8) {
            coder.code(&offRouteFixes)
            coder.code(&backwardFixes)
            coder.code(&candidateFixes)
        }
        coder.code(&candidateMeters, bit: 7)
        coder.code(&candidateAt, near: base)
    }
}
