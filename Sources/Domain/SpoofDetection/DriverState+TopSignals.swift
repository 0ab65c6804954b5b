import Support

extension DriverState {
    /// Adds evidence that the caller has already limited; see ``Risk/add(capped:at:_:)``.
    mutating func addEvidence(
        _ signal: Signals, capped weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk
    ) {
        guard weight > 0 else { return }
        topSignals.scale(toEvidence: risk.evidence + risk.ambiguousEvidence)
        risk.add(capped: weight, at: now, settings)
        topSignals.add(signal, weight)
    }

    /// Adds evidence up to the limit of the fix's window; see ``Risk/addWithinWindow(_:of:at:_:)``.
    mutating func addEvidenceWithinWindow(
        _ signal: Signals, _ weight: Double, of fixedAt: Timestamp, at now: Timestamp, _ settings: TrackingSettings.Risk
    ) {
        guard weight > 0 else { return }
        topSignals.scale(toEvidence: risk.evidence + risk.ambiguousEvidence)
        let added = risk.addWithinWindow(weight, of: fixedAt, at: now, settings)
        if added > 0 { topSignals.add(signal, added) }
    }

    /// Adds evidence that poor GNSS conditions can also cause; see ``Risk/addAmbiguousEvidence(_:at:_:)``.
    mutating func addAmbiguousEvidence(
        _ signal: Signals, _ weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk
    ) {
        guard weight > 0 else { return }
        topSignals.scale(toEvidence: risk.evidence + risk.ambiguousEvidence)
        risk.addAmbiguousEvidence(weight, at: now, settings)
        topSignals.add(signal, weight)
    }

    /// Decays the evidence until `now`, in stream time, including a pending jump's.
    @inline(__always) mutating func decayEvidence(until now: Timestamp, _ settings: TrackingSettings.Risk) {
        let before = risk.evidence
        risk.decay(until: now, settings)
        guard jump.evidence > 0 else { return }
        jump.evidence = before > 0 ? jump.evidence * (risk.evidence / before) : 0
    }

    /// Removes the remaining evidence of a pending jump.
    mutating func removeJumpEvidence() {
        removeEvidence(.jump, Double(jump.evidence))
        jump.evidence = 0
    }

    /// Adds evidence of a single outlier: ambiguous evidence, or unambiguous evidence if the driver already has some.
    ///
    /// Two opposite jumps therefore still add up. An outlier alone never makes a driver a suspect.
    mutating func addStrayEvidence(_ weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        guard risk.evidence > 0 else { return addAmbiguousEvidence(.jump, weight, at: now, settings) }
        let headroom = settings.maximumWindowEvidence - Double(risk.evidence)
        addEvidence(.jump, capped: min(weight, headroom), at: now, settings)
    }

    /// Removes evidence that turned out to have an honest cause.
    mutating func removeEvidence(_ signal: Signals, _ weight: Double) {
        risk.remove(weight)
        topSignals.remove(signal, weight)
    }

    /// Returns the signals behind the risk, if it reaches ``TrackingSettings/Risk/explainedRisk``.
    @inline(__always) func signals(explaining probability: Double, _ settings: TrackingSettings.Risk) -> Signals {
        probability < settings.explainedRisk ? [] : topSignals.strongest
    }
}

extension DriverState.TopSignals {
    private static let slots: UInt32 = 4
    private static let maximumExplaining = 3
    /// Units of a stored weight per log-odds.
    private static let unitsPerWeight = 16.0

    /// Returns the number of the signal in `slot`; 0 for an empty slot.
    @inline(__always) private func signal(at slot: UInt32) -> UInt32 { signals >> (8 * slot) & 255 }

    @inline(__always) private func weight(at slot: UInt32) -> UInt32 { weights >> (8 * slot) & 255 }

    @inline(__always) private mutating func set(_ slot: UInt32, _ signal: UInt32, _ weight: UInt32) {
        let mask = UInt32(255) << (8 * slot)
        signals = signals & ~mask | (weight == 0 ? 0 : signal) << (8 * slot)
        weights = weights & ~mask | weight << (8 * slot)
    }

    @inline(__always)
    private static func number(of signal: Signals) -> UInt32 { UInt32(signal.rawValue.trailingZeroBitCount) + 1 }

    /// Scales the weights down to the remaining evidence.
    mutating func scale(toEvidence evidence: Float) {
        var sum: UInt32 = 0
        for slot in 0..<Self.slots { sum += weight(at: slot) }
        let remaining = Double(max(0, evidence)) * Self.unitsPerWeight
        guard Double(sum) > remaining else { return }
        for slot in 0..<Self.slots {
            let weight = (Double(weight(at: slot)) * remaining / Double(sum)).halfAwayFromZero
            set(slot, signal(at: slot), UInt32(max(0, min(255, weight))))
        }
    }

    /// Adds a weight (log-odds); if all slots are full, replaces the smallest weight if the new weight is larger.
    mutating func add(_ signal: Signals, _ weight: Double) {
        let number = Self.number(of: signal)
        // Rounds up, so that small frequent weights add up.
        let added = UInt32(max(1, min(255, (weight * Self.unitsPerWeight).rounded(.up))))
        var least: UInt32 = 0
        for slot in 0..<Self.slots {
            if self.signal(at: slot) == number { return set(slot, number, min(255, self.weight(at: slot) + added)) }
            if self.weight(at: slot) < self.weight(at: least) { least = slot }
        }
        if self.weight(at: least) < added { set(least, number, added) }
    }

    mutating func remove(_ signal: Signals, _ weight: Double) {
        let number = Self.number(of: signal)
        let removed = UInt32(max(0, min(255, (weight * Self.unitsPerWeight).rounded(.up))))
        for slot in 0..<Self.slots where self.signal(at: slot) == number {
            let before = self.weight(at: slot)
            set(slot, number, before - min(before, removed))
        }
    }

    /// Returns the remaining weight of a signal, in log-odds.
    func weight(of signal: Signals) -> Double {
        let number = Self.number(of: signal)
        let slot = (0..<Self.slots).first { self.signal(at: $0) == number }
        return slot.map { Double(weight(at: $0)) / Self.unitsPerWeight } ?? 0
    }

    /// The three signals with the largest weights.
    var strongest: Signals {
        guard signals != 0 else { return [] }
        var bits: UInt32 = 0
        var pool = self
        for _ in 0..<Self.maximumExplaining {
            var greatest: UInt32 = 0
            for slot in 1..<Self.slots where pool.weight(at: slot) > pool.weight(at: greatest) { greatest = slot }
            let number = pool.signal(at: greatest)
            guard number > 0, number <= 32 else { break }
            bits |= 1 << (number - 1)
            pool.set(greatest, 0, 0)
        }
        return Signals(rawValue: bits)
    }
}
