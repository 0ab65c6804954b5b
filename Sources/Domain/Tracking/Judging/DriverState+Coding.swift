extension DriverState {
    /// Grows whenever the layout changes; a state of another version is not read.
    package static let version: UInt8 = 3

    /// What ``encode(into:)`` writes at most; mostly it is between 100 and 220 bytes.
    package static let maximumEncodedByteCount = 512

    /// Version, bits of the groups that follow, stream time.
    private static let headByteCount = 13
    /// The bit beside those of the groups that says whether there was a record at all.
    private static let knownBit: UInt32 = 1 << 31

    /// Writes the state and answers how many bytes that took.
    ///
    /// `memory` holds at least ``maximumEncodedByteCount`` bytes.
    package func encode(into memory: UnsafeMutableRawBufferPointer) -> Int {
        precondition(memory.count >= Self.maximumEncodedByteCount, "A state is encoded into room for the longest one.")
        var copy = self
        var writer = StateWriter(memory, from: Self.headByteCount)
        copy.code(with: &writer)
        memory.storeBytes(of: Self.version, as: UInt8.self)
        memory.storeBytes(of: writer.groups | (isKnown ? Self.knownBit : 0), toByteOffset: 1, as: UInt32.self)
        memory.storeBytes(of: seenAt.milliseconds, toByteOffset: 5, as: Int64.self)
        return writer.count
    }

    /// Reads back what ``encode(into:)`` wrote; `nil` for another version or bytes that are no state.
    package init?(decoding memory: UnsafeRawBufferPointer) {
        guard memory.count >= Self.headByteCount, memory[0] == Self.version else { return nil }
        let groups = memory.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
        isKnown = groups & Self.knownBit != 0
        seenAt = Timestamp(milliseconds: memory.loadUnaligned(fromByteOffset: 5, as: Int64.self))
        guard seenAt.isReadable else { return nil }
        var reader = StateReader(memory, from: Self.headByteCount, groups: groups)
        code(with: &reader)
        guard reader.isValid, reader.count == memory.count, motion.isPlausible, motion.halt.isPlausible,
            risk.isPlausible, (0...1e6).contains(rate.spent)
        else { return nil }
    }

    @inline(__always)
    private mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        let base = seenAt.milliseconds
        coder.code(group: &order, bit: 0, initial: Order()) { $0.code(with: &$1, near: base) }
        coder.code(group: &clock.known, bit: 1, initial: Clock.Known()) { group, coder in
            coder.code(&group.offsetMilliseconds, near: 0)
            coder.code(&group.isKnown)
        }
        coder.code(group: &clock.other, bit: 14, initial: Clock.Other()) { group, coder in
            coder.code(&group.offsetMilliseconds, near: 0)
            coder.code(&group.since, near: base)
            coder.code(&group.fixes)
        }
        coder.code(group: &rate, bit: 2, initial: Rate()) { group, coder in
            coder.code(&group.spent)
            coder.code(&group.at, near: base)
        }
        coder.code(group: &live, bit: 3, initial: Live()) { $0.code(with: &$1, near: base) }
        coder.code(group: &jump, bit: 4, initial: Jump()) { group, coder in
            coder.code(&group.fixes)
            coder.code(&group.blamedFixes)
            coder.code(&group.point)
            coder.code(&group.accuracy)
            coder.code(&group.at, near: base)
        }
        codeSignals(with: &coder, near: base)
        coder.code(group: &motion, bit: 10, initial: MotionState()) { $0.code(with: &$1) }
        coder.code(group: &motion.rejects, bit: 11, initial: MotionState.Rejects()) { group, coder in
            coder.code(&group.count)
            coder.code(&group.last)
        }
        coder.code(group: &motion.halt, bit: 12, initial: MotionState.Halt()) { $0.code(with: &$1) }
        coder.code(group: &order.missing, bit: 13, initial: MissingSequences()) { $0.code(with: &$1) }
    }

    /// What the spoof signals remember.
    @inline(__always)
    private mutating func codeSignals<Coder: StateCoder>(with coder: inout Coder, near base: Int64) {
        coder.code(group: &fields, bit: 5, initial: Fields()) { group, coder in
            coder.code(&group.accuracyHash)
            coder.code(&group.altitudeHash)
            coder.code(&group.speedHash)
            coder.code(&group.fieldsRun)
            coder.code(&group.speedRun)
            coder.code(&group.zeroAccuracyRun)
            coder.code(&group.accuracy)
            coder.code(&group.altitude)
            coder.code(&group.speed)
            coder.code(&group.overdue)
            coder.code(&group.learnt)
        }
        coder.code(group: &rhythm, bit: 15, initial: Rhythm()) { group, coder in
            coder.code(&group.milliseconds)
            coder.code(&group.habit)
            coder.code(&group.learnt)
        }
        coder.code(group: &steps, bit: 16, initial: Steps()) { $0.code(with: &$1) }
        coder.code(group: &drift, bit: 17, initial: Drift()) { group, coder in
            coder.code(&group.east)
            coder.code(&group.north)
            coder.code(&group.usual)
            coder.code(&group.learnt)
        }
        coder.code(group: &window, bit: 6, initial: Window()) { $0.code(with: &$1, near: base) }
        coder.code(group: &track, bit: 7, initial: Track()) { group, coder in
            coder.code(&group.hash)
            coder.code(&group.point)
            coder.code(&group.fixes)
            coder.code(&group.matches)
        }
        coder.code(group: &risk, bit: 8, initial: Risk()) { $0.code(with: &$1, near: base) }
        coder.code(group: &warnings, bit: 9, initial: Warnings()) { $0.code(with: &$1) }
    }
}

extension DriverState.Warnings {
    @inline(__always)
    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        coder.code(&recent)
        coder.code(&older)
        coder.code(&recentActions)
        coder.code(&olderActions)
        coder.code(&toldActions)
        coder.code(&window)
    }
}

extension DriverState.Order {
    /// All but ``missing``, which is a group of its own.
    @inline(__always)
    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder, near base: Int64) {
        coder.code(&session)
        coder.code(&previousSession)
        coder.code(&lastSequence, near: 0)
        coder.code(&deviceMilliseconds, near: base)
        coder.code(&lastContent)
        coder.code(&contents)
        coder.code(&hasSequence)
        coder.code(&hasDevice)
        coder.code(&isBegun)
    }
}

extension DriverState.Live {
    @inline(__always)
    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder, near base: Int64) {
        coder.code(&isKnown)
        coder.code(&point)
        coder.code(&accuracy)
        coder.code(&at, near: base)
        coder.code(&receivedAt, near: base)
        coder.code(&heardAt, near: base)
        coder.code(&pointSince, near: base)
        coder.code(&fixesSinceGap)
    }
}

extension DriverState.Window {
    @inline(__always)
    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder, near base: Int64) {
        coder.code(&fixes)
        coder.code(&hasSpeeds)
        coder.code(&start)
        coder.code(&startAccuracy)
        coder.code(&at, near: base)
        coder.code(&path)
        coder.code(&reported)
    }
}

extension DriverState.Steps {
    @inline(__always)
    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        coder.code(&east)
        coder.code(&north)
        coder.code(&milliseconds)
        coder.code(&speed)
        coder.code(&usualUnsteadiness)
        coder.code(&recentUnsteadiness)
        coder.code(&swerves)
        coder.code(&side)
        coder.code(&learnt)
        coder.code(&equalScore)
        coder.code(&contraryRun)
    }
}

extension DriverState.Risk {
    @inline(__always)
    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder, near base: Int64) {
        coder.code(&evidence)
        coder.code(&sky)
        coder.code(&heldUntil)
        coder.code(&holdsRelocation)
        coder.code(&at, near: base)
        coder.code(&window)
        coder.code(&windows)
        coder.code(&isFlagged)
        coder.code(&isAnomalous)
        coder.code(&flaggedAt, near: base)
    }
}

extension MotionState {
    /// Whether a filter can hold these numbers: a state read from bytes that were damaged may hold anything, and what
    /// it holds is calculated with for as long as the driver is heard of.
    fileprivate var isPlausible: Bool {
        (-90...90).contains(coordinate.latitude) && (-180...180).contains(coordinate.longitude)
            && abs(eastMetersPerSecond) <= 1e6 && abs(northMetersPerSecond) <= 1e6 && abs(logNoiseScale) <= 50
            && abs(logVelocityNoiseScale) <= 50 && (-1...360).contains(headingDegrees)
            && covariance.isPlausible
    }

    /// All but ``rejects`` and ``halt``, which are groups of their own.
    @inline(__always)
    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        coder.code(&coordinate)
        coder.code(&eastMetersPerSecond)
        coder.code(&northMetersPerSecond)
        coder.code(&covariance)
        coder.code(&logNoiseScale)
        coder.code(&logVelocityNoiseScale)
        coder.code(&headingDegrees)
        coder.code(&isStarted)
        coder.code(&refutations)
    }
}

extension MotionState.Covariance {
    /// Whether four quantities can vary like this, none by more than on another planet; of any other numbers the filter
    /// soon makes infinite ones.
    ///
    /// By elimination (Cholesky): each variance remains one, but for rounding, when the quantities before it are known.
    fileprivate var isPlausible: Bool {
        let rounding = 1e-4
        var rows = [SIMD4(ee, en, eu, ev), SIMD4(en, nn, nu, nv), SIMD4(eu, nu, uu, uv), SIMD4(ev, nv, uv, vv)]
            .map { SIMD4<Double>($0) }
        let variances = rows.indices.map { rows[$0][$0] }
        guard variances.allSatisfy({ (0...1e15).contains($0) }) else { return false }
        for index in rows.indices {
            let least = rounding * variances[index]
            let pivot = rows[index][index]
            guard pivot >= -least else { return false }
            for other in rows.indices where other > index {
                let common = rows[index][other]
                guard common * common <= max(pivot, least) * variances[other] * (1 + rounding) else { return false }
                if pivot > least { rows[other] -= rows[index] * (common / pivot) }
            }
        }
        return true
    }
}

extension DriverState.Risk {
    fileprivate var isPlausible: Bool { (0...1e6).contains(evidence) && (0...1e6).contains(sky) }
}

extension MotionState.Halt {
    fileprivate var isPlausible: Bool {
        (0...1e6).contains(seconds) && abs(recentEastMeters) <= 1e9 && abs(recentNorthMeters) <= 1e9
    }

    @inline(__always)
    fileprivate mutating func code<Coder: StateCoder>(with coder: inout Coder) {
        coder.code(&isHalted)
        coder.code(&isStraying)
        coder.code(&fixes)
        coder.code(&anchor)
        coder.code(&seconds)
        coder.code(&recentEastMeters)
        coder.code(&recentNorthMeters)
    }
}
