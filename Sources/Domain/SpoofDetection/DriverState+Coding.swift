/// Layout: version (1 byte), flags (4), stream time (8), then the groups that differ from their initial values.
///
/// Groups without padding are stored as in memory, so the declaration order of their fields is part of the layout.
extension DriverState {
    /// Version of the layout; see ``StateVersions`` before changing it.
    package static let versions = StateVersions(current: 1, previous: 1)

    /// Maximum size of an encoded state in bytes; most states use 100 to 220.
    package static var maximumEncodedByteCount: Int {
        StateWriter.headByteCount + StateWriter.maximumByteCount(of: DriverState.self)
    }

    /// Writes the state to at least ``maximumEncodedByteCount`` bytes and returns its size.
    package func encode(into memory: UnsafeMutableRawBufferPointer) -> Int {
        var copy = self
        var writer = StateWriter(memory, atMost: Self.maximumEncodedByteCount)
        copy.code(with: &writer)
        return writer.count
    }

    /// Decodes a state; `nil` for an unsupported version or invalid bytes.
    package init?(decoding memory: UnsafeRawBufferPointer) {
        self.init()
        var reader = StateReader(memory)
        code(with: &reader)
        guard reader.hasReadAll, motion.isPlausible, (0...1e6).contains(risk.evidence),
            (0...1e6).contains(risk.ambiguousEvidence),
            (0...1e6).contains(risk.windowEvidence), (0...1e6).contains(jump.evidence),
            (0...1e6).contains(rate.spent), (0...1e6).contains(rate.offTripSpent)
        else { return nil }
    }

    @inline(__always) private mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        coder.code(Self.versions)
        let flags = coder.beginFlags(UInt32.self)
        coder.code(&isKnown, bit: 31)
        coder.code(&seenAt)
        let base = seenAt.milliseconds
        codeOrder(with: &coder, near: base)
        codePoints(with: &coder, near: base)
        codeSignals(with: &coder, near: base)
        codeRisk(with: &coder, near: base)
        codeMotion(with: &coder)
        coder.code(group: &order.missing, bit: 13, initial: MissingSequences()) { $0.code(with: &$1) }
        coder.endFlags(flags)
    }

    /// Codes sequence numbers, clock and rate; missing numbers are a separate group.
    @inline(__always) private mutating func codeOrder<Coder: StateCoder>(with coder: inout Coder, near base: Int64) {
        coder.code(group: &order, bit: 0, initial: Order()) { group, coder in
            coder.code(&group.session)
            coder.code(&group.previousSession)
            coder.code(compact: &group.lastSequence)
            coder.code(&group.deviceMilliseconds, near: base)
            coder.code(&group.lastContent)
            coder.code(plain: &group.contents)
            coder.code(&group.hasSequence)
            coder.code(&group.hasDevice)
            coder.code(&group.isBegun)
        }
        coder.code(group: &clock.known, bit: 1, initial: Clock.Known()) { group, coder in
            coder.code(compact: &group.offsetMilliseconds)
            coder.code(&group.isKnown)
        }
        coder.code(group: &clock.candidate, bit: 14, initial: Clock.Candidate()) { group, coder in
            coder.code(compact: &group.offsetMilliseconds)
            coder.code(&group.since, near: base)
            coder.code(&group.fixes)
        }
        coder.code(group: &clock.window, bit: 22, initial: Clock.OffsetWindow()) { group, coder in
            coder.code(compact: &group.risenMilliseconds)
            coder.code(&group.since, near: base)
            coder.code(&group.fixes)
        }
        coder.code(group: &rate, bit: 2, initial: Rate()) { group, coder in
            coder.code(&group.spent)
            coder.code(&group.at, near: base)
        }
        // Devices that report their trip do not use the off-trip bucket.
        if coder.flag(rate.offTripSpent != 0, bit: 20) { coder.code(&rate.offTripSpent) }
    }

    @inline(__always) private mutating func codePoints<Coder: StateCoder>(with coder: inout Coder, near base: Int64) {
        coder.code(group: &lastAccepted, bit: 3, initial: LastAcceptedFix()) { group, coder in
            coder.code(&group.isKnown)
            coder.code(plain: &group.point)
            coder.code(plain: &group.accuracy)
            coder.code(&group.at, near: base)
            coder.code(&group.receivedAt, near: base)
            coder.code(&group.lastUsableAt, near: base)
            coder.code(&group.pointSince, near: base)
            coder.code(&group.fixesSinceGap)
        }
        coder.code(group: &jump, bit: 4, initial: Jump()) { group, coder in
            coder.code(&group.fixes)
            coder.code(&group.evidenceFixes)
            coder.code(plain: &group.point)
            coder.code(plain: &group.accuracy)
            coder.code(&group.at, near: base)
            // The position before a relocation (`isOrigin`) has no fixes, and therefore no evidence.
            if group.fixes > 0 { coder.code(&group.evidence) }
        }
        coder.code(group: &overspeed, bit: 18, initial: OverspeedStart()) { group, coder in
            coder.code(plain: &group.start)
            coder.code(&group.timeAndLeniency)
            coder.code(plain: &group.startAccuracy)
        }
    }

    @inline(__always) private mutating func codeSignals<Coder: StateCoder>(with coder: inout Coder, near base: Int64) {
        coder.code(group: &fields, bit: 5, initial: Fields())
        coder.code(group: &headings, bit: 23, initial: Headings())
        coder.code(group: &rhythm, bit: 15, initial: Rhythm())
        coder.code(group: &steps, bit: 16, initial: Steps())
        coder.code(group: &equalRun, bit: 25, initial: EqualRun())
        coder.code(group: &drift, bit: 17, initial: Drift())
        coder.code(group: &window, bit: 6, initial: Window()) { group, coder in
            coder.code(&group.fixes)
            coder.code(&group.hasSpeeds)
            coder.code(plain: &group.start)
            coder.code(plain: &group.startAccuracy)
            coder.code(&group.at, near: base)
            coder.code(plain: &group.path)
            coder.code(plain: &group.reported)
        }
        coder.code(group: &track, bit: 7, initial: Track())
    }

    @inline(__always) private mutating func codeRisk<Coder: StateCoder>(with coder: inout Coder, near base: Int64) {
        coder.code(group: &risk, bit: 8, initial: Risk()) { group, coder in
            coder.code(&group.evidence)
            coder.code(&group.ambiguousEvidence)
            coder.code(&group.heldUntil)
            coder.code(&group.holdsRelocation)
            coder.code(&group.at, near: base)
            coder.code(&group.window)
            coder.code(&group.windows)
            coder.code(&group.isFlagged)
            coder.code(&group.isAnomalous)
            coder.code(&group.flaggedAt, near: base)
        }
        coder.code(group: &topSignals, bit: 19, initial: TopSignals())
        if coder.flag(risk.windowEvidence != 0, bit: 21) {
            coder.code(&risk.windowEvidence)
            coder.code(&risk.windowBegan, near: base)
        }
        coder.code(group: &warnings, bit: 9, initial: Warnings()) { group, coder in
            coder.code(&group.recent)
            coder.code(&group.older)
            coder.code(&group.recentActions)
            coder.code(&group.olderActions)
            coder.code(&group.lastActions)
            coder.code(&group.window)
        }
    }

    /// Codes the filter; lasting error, rejects and halt are separate groups.
    @inline(__always) private mutating func codeMotion<Coder: StateCoder>(with coder: inout Coder) {
        coder.code(group: &motion, bit: 10, initial: MotionState()) { group, coder in
            coder.code(&group.coordinate)
            coder.code(&group.eastMetersPerSecond)
            coder.code(&group.northMetersPerSecond)
            coder.code(plain: &group.covariance)
            coder.code(&group.logNoiseScale)
            coder.code(&group.logVelocityNoiseScale)
            coder.code(&group.headingDegrees)
            coder.code(&group.isStarted)
            coder.code(&group.refutations)
        }
        coder.code(group: &motion.lasting, bit: 24, initial: MotionState.LastingError()) { group, coder in
            coder.code(&group.variance)
            coder.code(&group.meanEast)
            coder.code(&group.meanNorth)
        }
        coder.code(group: &motion.rejects, bit: 11, initial: MotionState.Rejects()) { group, coder in
            coder.code(&group.count)
            coder.code(plain: &group.last)
            coder.code(&group.eastCentimetersPerSecond)
            coder.code(&group.northCentimetersPerSecond)
            coder.code(&group.agreeing)
            coder.code(&group.tenths)
        }
        coder.code(group: &motion.halt, bit: 12, initial: MotionState.Halt()) { group, coder in
            coder.code(&group.isHalted)
            coder.code(&group.strayBits)
            coder.code(&group.fixes)
            coder.code(plain: &group.anchor)
            coder.code(&group.seconds)
            coder.code(&group.recentEastMeters)
            coder.code(&group.recentNorthMeters)
        }
    }
}
