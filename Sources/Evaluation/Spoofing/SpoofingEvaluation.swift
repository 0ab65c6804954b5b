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

        evaluation.attack()
        return SpoofingReport(
            options: options, honest: evaluation.honest, simulated: evaluation.simulated,
            recordedAttacks: evaluation.recordedAttacks, results: evaluation.results,
            honestWindows: evaluation.honestWindows, attackWindows: evaluation.attackWindows,
            hosts: evaluation.hosts.map { ($0.origin, $0.hosts.count) })
    }

    private init(options: SpoofingOptions, progress: @escaping (String) -> Void) {
        self.options = options
        self.progress = progress
    }

    /// A recording as it is; traces that hold a recorded attack are counted apart.
    private mutating func judge(_ recording: NamedRecording) {
        progress("judging \(recording.name)")
        let traces = recording.traces.filter { options.half.holds($0.name) }
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

    private mutating func attack() {
        guard !hosts.isEmpty else { return }
        for kind in options.kinds {
            progress("\(options.attacks) attacks: \(kind.rawValue)")
            for number in 0..<options.attacks {
                var random = RandomSource(seed: options.seed, index: UInt64(number), purpose: 100 + kind.number)
                guard let attack = draw(kind, random: &random) else { continue }
                judge(attack)
            }
        }
    }

    /// Recordings have equal chances, whatever their size, and so have the traces of each.
    private func draw(_ kind: AttackKind, random: inout RandomSource) -> InjectedAttack? {
        for _ in 0..<300 {
            let origin = hosts[random.index(below: hosts.count)].hosts
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
        results.append(AttackResult(attack, outcomes, hits))
        attackWindows[attack.kind, default: WindowScores()].add(outcomes, hits, in: attack.range)
    }
}
