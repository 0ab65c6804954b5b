import Model
import Support

/// Evidence together with the signal that it is from.
extension DriverState {
    /// Adds evidence of one or several signals, each of which was capped before; see ``Risk/add(capped:at:_:)``.
    mutating func blame(
        _ signal: Signals, capped weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk
    ) {
        guard weight > 0 else { return }
        causes.settle(evidence: risk.evidence + risk.sky)
        risk.add(capped: weight, at: now, settings)
        causes.add(signal, weight)
    }

    /// The same, as far as the window of the fix holds more; see ``Risk/addWithinWindow(_:of:at:_:)``.
    mutating func blameWithinWindow(
        _ signal: Signals, _ weight: Double, of fixedAt: Timestamp, at now: Timestamp, _ settings: TrackingSettings.Risk
    ) {
        guard weight > 0 else { return }
        causes.settle(evidence: risk.evidence + risk.sky)
        let added = risk.addWithinWindow(weight, of: fixedAt, at: now, settings)
        if added > 0 { causes.add(signal, added) }
    }

    /// Adds evidence that a bad sky may be the cause of as well; see ``Risk/addSky(_:at:_:)``.
    mutating func blameSky(_ signal: Signals, _ weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        guard weight > 0 else { return }
        causes.settle(evidence: risk.evidence + risk.sky)
        risk.addSky(weight, at: now, settings)
        causes.add(signal, weight)
    }

    /// Lets the evidence fade until `now`, in stream time, and with it what is held against a jump.
    @inline(__always)
    mutating func fadeEvidence(until now: Timestamp, _ settings: TrackingSettings.Risk) {
        let before = risk.evidence
        risk.fade(until: now, settings)
        guard jump.blame > 0 else { return }
        jump.blame = before > 0 ? jump.blame * (risk.evidence / before) : 0
    }

    /// Takes back what the fixes of a jump have added, as far as it is left.
    mutating func withdrawJump() {
        withdraw(.jump, Double(jump.blame))
        jump.blame = 0
    }

    /// Adds evidence of a single fix that went astray.
    ///
    /// A bad sky causes that, and it counts as such. Where other signals have led to evidence, it is added to that, so
    /// that two jumps, there and back, do not leave it as it was; but it makes no suspect.
    mutating func blameStray(_ weight: Double, at now: Timestamp, _ settings: TrackingSettings.Risk) {
        guard risk.evidence > 0 else { return blameSky(.jump, weight, at: now, settings) }
        let room = settings.maximumWindowEvidence - Double(risk.evidence)
        blame(.jump, capped: min(weight, room), at: now, settings)
    }

    /// Takes back evidence that turned out to have another cause.
    mutating func withdraw(_ signal: Signals, _ weight: Double) {
        risk.remove(weight)
        causes.remove(signal, weight)
    }

    /// The signals that the risk is from, as far as there is a risk worth explaining; see
    /// ``TrackingSettings/Risk/explainedRisk``.
    @inline(__always)
    func signals(explaining probability: Double, _ settings: TrackingSettings.Risk) -> Signals {
        probability < settings.explainedRisk ? [] : causes.main
    }
}

extension DriverState.Causes {
    /// Signals that are kept apart.
    private static let places: UInt32 = 4
    /// Signals that explain a risk at most.
    private static let explaining = 3
    /// Weights are kept in this many parts of a unit.
    private static let parts = 16.0

    /// The number of the signal kept at `place`; 0 for none.
    @inline(__always)
    private func signal(at place: UInt32) -> UInt32 { signals >> (8 * place) & 255 }

    @inline(__always)
    private func weight(at place: UInt32) -> UInt32 { weights >> (8 * place) & 255 }

    @inline(__always)
    private mutating func set(_ place: UInt32, _ signal: UInt32, _ weight: UInt32) {
        let mask = UInt32(255) << (8 * place)
        signals = signals & ~mask | (weight == 0 ? 0 : signal) << (8 * place)
        weights = weights & ~mask | weight << (8 * place)
    }

    @inline(__always)
    private static func number(of signal: Signals) -> UInt32 { UInt32(signal.rawValue.trailingZeroBitCount) + 1 }

    /// Lets the weights fade as the evidence they add up to has, which is what is left of it.
    mutating func settle(evidence: Float) {
        var sum: UInt32 = 0
        for place in 0..<Self.places { sum += weight(at: place) }
        let left = Double(max(0, evidence)) * Self.parts
        guard Double(sum) > left else { return }
        for place in 0..<Self.places {
            let weight = (Double(weight(at: place)) * left / Double(sum)).halfAwayFromZero
            set(place, signal(at: place), UInt32(max(0, min(255, weight))))
        }
    }

    /// Adds a weight, in log-odds; where all places are taken, the least goes if it is less.
    mutating func add(_ signal: Signals, _ weight: Double) {
        let number = Self.number(of: signal)
        // Upwards, so that small weights that come often add up.
        let added = UInt32(max(1, min(255, (weight * Self.parts).rounded(.up))))
        var least: UInt32 = 0
        for place in 0..<Self.places {
            if self.signal(at: place) == number {
                return set(place, number, min(255, self.weight(at: place) + added))
            }
            if self.weight(at: place) < self.weight(at: least) { least = place }
        }
        if self.weight(at: least) < added { set(least, number, added) }
    }

    mutating func remove(_ signal: Signals, _ weight: Double) {
        let number = Self.number(of: signal)
        let removed = UInt32(max(0, min(255, (weight * Self.parts).rounded(.up))))
        for place in 0..<Self.places where self.signal(at: place) == number {
            let before = self.weight(at: place)
            set(place, number, before - min(before, removed))
        }
    }

    /// Returns the remaining weight of a signal, in log-odds.
    func left(of signal: Signals) -> Double {
        let number = Self.number(of: signal)
        let place = (0..<Self.places).first { self.signal(at: $0) == number }
        return place.map { Double(weight(at: $0)) / Self.parts } ?? 0
    }

    /// The signals that weigh most, three at most.
    var main: Signals {
        guard signals != 0 else { return [] }
        var found: UInt32 = 0
        var rest = self
        for _ in 0..<Self.explaining {
            var greatest: UInt32 = 0
            for place in 1..<Self.places where rest.weight(at: place) > rest.weight(at: greatest) { greatest = place }
            let number = rest.signal(at: greatest)
            guard number > 0, number <= 32 else { break }
            found |= 1 << (number - 1)
            rest.set(greatest, 0, 0)
        }
        return Signals(rawValue: found)
    }
}
