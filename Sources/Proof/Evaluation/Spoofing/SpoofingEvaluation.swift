import Simulation
import Tracking

/// Measures the spoof signals: on honest recordings and simulations as they are, and on attacks put into them.
///
/// Pure and seeded: the same recordings and options give the same report.
package struct SpoofingEvaluation {
    private let options: SpoofingOptions
    private let progress: (String) -> Void
    private var honest: [(name: String, tally: HonestTally)] = []
    private var simulated: HonestTally?
    private var recordedAttacks: [(name: String, tally: RecordedAttackTally)] = []
    private var honestWindows = WindowScores()
    /// Hosts by the recording they are from.
    private var hosts: [(origin: String, hosts: [AttackHost])] = []
    private var results: [AttackResult] = []
    private var attackWindows: [AttackKind: WindowScores] = [:]

    /// `progress` is told in a few words what is being done.
    package static func report(
        on recordings: [NamedRecording], _ options: SpoofingOptions, progress: @escaping (String) -> Void = { _ in }
    ) -> SpoofingReport {
        var evaluation = SpoofingEvaluation(options: options, progress: progress)
        for recording in recordings { evaluation.judge(recording) }

        if options.simulatedHours > 0 { evaluation.simulate() }
        evaluation.attack()
        var report = SpoofingReport(
            options: options, honest: evaluation.honest, simulated: evaluation.simulated,
            recordedAttacks: evaluation.recordedAttacks, results: evaluation.results,
            honestWindows: evaluation.honestWindows, attackWindows: evaluation.attackWindows,
            hosts: evaluation.hosts.map { ($0.origin, $0.hosts.count) })
        if options.jammedTowns > 0 {
            progress("\(options.jammedTowns) jammed towns")
            report.jamming = JammingEvaluation.rows(towns: options.jammedTowns, seed: options.seed, options.settings)
        }
        return report
    }

    private init(options: SpoofingOptions, progress: @escaping (String) -> Void) {
        self.options = options
        self.progress = progress
    }

    /// A recording as it is; traces that hold a recorded attack are counted apart.
    private mutating func judge(_ recording: NamedRecording) {
        progress("judging \(recording.name)")
        let traces = recording.traces.filter { options.half.holds(trace: $0.name) }
        guard !traces.isEmpty else { return }
        var run = JudgedRun(settings: options.settings)
        let outcomes = run.judge(traces)
        var tally = HonestTally()
        var attacks = RecordedAttackTally()
        for (trace, outcomes) in zip(traces, outcomes) {
            let hits = BaselineRules.hits(trace)
            if trace.holdsAttack {
                attacks.add(trace, outcomes, hits)
            } else {
                tally.add(trace, outcomes, hits)
                honestWindows.add(outcomes, hits, in: 0..<outcomes.count)
            }
        }
        if attacks.traces > 0 { recordedAttacks.append((recording.name, attacks)) }
        if tally.traces > 0 { honest.append((recording.name, tally)) }
        let candidates = traces.compactMap { AttackHost($0) }
        // A recorded vehicle that is attacked elsewhere in the recording is no honest host.
        if attacks.traces == 0, !candidates.isEmpty { hosts.append((recording.name, candidates)) }
    }

    /// Drives attacks are put into at most; more would only need memory.
    private static let simulatedHosts = 48

    /// Honest hours in a made-up town.
    ///
    /// Drives with even numbers are for fitting, the others for checking.
    private mutating func simulate() {
        var fleet = SimulatedFleet(seed: options.seed)
        // One partition for all, so that its memory of tracks is as full as it gets.
        var run = JudgedRun(settings: options.settings)
        var tally = HonestTally()
        var candidates: [AttackHost] = []
        for hour in 0..<options.simulatedHours {
            if hour % 100 == 0 { progress("simulated hour \(hour) of \(options.simulatedHours)") }
            let number = options.half == .all ? hour : 2 * hour + (options.half == .fit ? 0 : 1)
            let trace = fleet.drive(number)
            let outcomes = run.judge(trace)
            let hits = BaselineRules.hits(trace)
            tally.add(trace, outcomes, hits)
            honestWindows.add(outcomes, hits, in: 0..<outcomes.count)
            if candidates.count < Self.simulatedHosts, let host = AttackHost(trace) { candidates.append(host) }
        }
        simulated = tally
        if !candidates.isEmpty { hosts.append((SimulatedFleet.origin, candidates)) }
    }

    private mutating func attack() {
        guard !hosts.isEmpty else { return }
        for kind in options.kinds {
            progress("\(options.attacks) attacks: \(kind.rawValue)")
            for number in 0..<options.attacks {
                var random = RandomSource(seed: options.seed, index: UInt64(number), purpose: 100 + kind.number)
                guard let attack = draw(kind, number: number, random: &random) else { continue }
                judge(attack)
            }
        }
    }

    /// Every other attack goes to a recording, the others to simulated drives, where there are both; recordings have
    /// equal chances, whatever their size, and so have the traces of each.
    private func draw(_ kind: AttackKind, number: Int, random: inout RandomSource) -> InjectedAttack? {
        let isSimulated = hosts.count > 1 && hosts[hosts.count - 1].origin == SimulatedFleet.origin
        let chosen = !isSimulated ? hosts : number % 2 == 0 ? Array(hosts.dropLast()) : Array(hosts.suffix(1))
        for _ in 0..<300 {
            let origin = chosen[random.index(below: chosen.count)].hosts
            let host = origin[random.index(below: origin.count)]
            if let attack = AttackInjector(hosts: origin).attack(kind, on: host, random: &random) { return attack }
        }
        return nil
    }

    private mutating func judge(_ attack: InjectedAttack) {
        var run = JudgedRun(settings: options.settings)
        if let prelude = attack.prelude { _ = run.judge(prelude) }
        let outcomes = run.judge(attack.trace)
        let hits = BaselineRules.hits(attack.trace)
        var result = AttackResult(attack, outcomes, hits)
        if options.triesSignalsAlone { result.detectingSignals = signalsDetecting(attack) }
        results.append(result)
        attackWindows[attack.kind, default: WindowScores()].add(outcomes, hits, in: attack.range)
    }

    /// The signals that detect an attack while the others are silent.
    private func signalsDetecting(_ attack: InjectedAttack) -> Set<SpoofSignal> {
        Set(
            SpoofSignal.allCases.filter { signal in
                var run = JudgedRun(settings: signal.alone(in: options.settings))
                if let prelude = attack.prelude { _ = run.judge(prelude) }
                let outcomes = run.judge(attack.trace)
                let start = attack.range.lowerBound
                let wasFlagged = start > 0 && outcomes[start - 1].isFlagged
                return attack.watched.contains { index in
                    let outcome = outcomes[index]
                    return outcome.isRejected && !outcome.reasons.isDisjoint(with: signal.rejections)
                        || outcome.isFlagged && !wasFlagged
                }
            })
    }
}
