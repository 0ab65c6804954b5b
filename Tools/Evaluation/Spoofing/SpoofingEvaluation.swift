import Domain
import Support

/// Measures the spoof signals: on honest recordings and simulations as they are, and on attacks put into them.
///
/// Pure and seeded: the same recordings and options give the same report.
package struct SpoofingEvaluation {
    let options: SpoofingOptions
    private let progress: (String) -> Void
    private var honest: [(name: String, tally: HonestTally)] = []
    private var simulated: HonestTally?
    private var recordedAttacks: [(name: String, tally: RecordedAttackTally)] = []
    private var hosts = AttackHosts()

    /// `progress` is told in a few words what is being done.
    package static func report(
        on recordings: [NamedRecording], _ options: SpoofingOptions, progress: @escaping (String) -> Void = { _ in }
    ) -> SpoofingReport {
        var evaluation = SpoofingEvaluation(options: options, progress: progress)
        for recording in recordings { evaluation.judge(recording) }

        if options.simulatedHours > 0 { evaluation.simulate() }
        let attacks = evaluation.attack(evaluation.hosts)
        let sampled = options.samplings.map { seconds in
            let hosts = evaluation.hosts.thinned(to: seconds)
            progress("a fix every \(Int(seconds)) s")
            return SampledAttacks(seconds: seconds, hosts: hosts.count, scores: evaluation.attack(hosts))
        }
        var report = SpoofingReport(
            options: options, honest: evaluation.honest, simulated: evaluation.simulated,
            recordedAttacks: evaluation.recordedAttacks, attacks: attacks, sampled: sampled,
            hosts: evaluation.hosts.origins.map { ($0.name, $0.hosts.count) })
        if options.attacks > 0, options.measuresRaces { report.races = evaluation.races() }
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
        var run = EvaluatedRun(settings: options.settings)
        if let start = traces.compactMap(\.receivedAt.first).min() { fill(&run, until: start) }
        let outcomes = run.judge(traces)
        var tally = HonestTally()
        var attacks = RecordedAttackTally()
        for (trace, outcomes) in zip(traces, outcomes) {
            let hits = BaselineRules.hits(trace)
            if trace.holdsAttack {
                attacks.add(trace, outcomes, hits)
            } else {
                tally.add(trace, outcomes, hits)
            }
        }
        if attacks.traces > 0 { recordedAttacks.append((recording.name, attacks)) }
        if tally.traces > 0 { honest.append((recording.name, tally)) }
        let candidates = traces.compactMap { AttackHost($0) }
        // A recorded vehicle that is attacked elsewhere in the recording is no honest host.
        if attacks.traces == 0 { hosts.add(candidates, from: recording.name) }
    }

    /// Drives attacks are put into at most; more would only need memory.
    private static let simulatedHosts = 48

    /// Honest hours in a made-up town.
    ///
    /// Drives with even numbers are for fitting, the others for checking.
    private mutating func simulate() {
        var fleet = SimulatedFleet(seed: options.seed)
        // One partition for all.
        var run = EvaluatedRun(settings: options.settings)
        var tally = HonestTally()
        var candidates: [AttackHost] = []
        for hour in 0..<options.simulatedHours {
            if hour % 100 == 0 { progress("simulated hour \(hour) of \(options.simulatedHours)") }
            let number = options.half == .all ? hour : 2 * hour + (options.half == .fit ? 0 : 1)
            let trace = fleet.drive(number)
            if hour == 0, let start = trace.receivedAt.first { fill(&run, until: start) }
            let outcomes = run.judge(trace)
            let hits = BaselineRules.hits(trace)
            tally.add(trace, outcomes, hits)
            if candidates.count < Self.simulatedHosts, let host = AttackHost(trace) { candidates.append(host) }
        }
        simulated = tally
        hosts.add(candidates, from: SimulatedFleet.origin)
    }

    /// Honest drivers meet a full memory: what is wrongly taken for a repetition shows there.
    private func fill(_ run: inout EvaluatedRun, until time: Timestamp) {
        guard options.fillsMemory else { return }
        run.hearOthers(hours: 1, from: time.advanced(bySeconds: -3600), to: time, seed: options.seed)
    }
}

// MARK: - Races

extension SpoofingEvaluation {
    private func races() -> [SpoofingReport.Race] {
        RaceTally.intervals.flatMap { seconds in
            let hosts = hosts.thinned(to: seconds)
            progress("races, a fix every \(Int(seconds)) s")
            return RaceTally.speeds.map { speed in
                let tally = RaceTally(
                    hosts, kilometersPerHour: speed, count: options.attacks, seed: options.seed, options.settings)
                return SpoofingReport.Race(
                    seconds: seconds, kilometersPerHour: speed, races: tally.races,
                    markedRate: SpoofingReport.share(tally.marked, of: tally.races),
                    rejectedRate: SpoofingReport.share(tally.rejected, of: tally.races))
            }
        }
    }
}

// MARK: - Attacks

extension SpoofingEvaluation {
    private func attack(_ hosts: AttackHosts) -> AttackScores {
        var scores = AttackScores()
        for kind in options.kinds where options.attacks > 0 && hosts.count > 0 {
            progress("\(options.attacks) attacks: \(kind.rawValue)")
            for number in 0..<options.attacks {
                guard let attack = hosts.draw(kind, number: number, seed: options.seed) else { continue }
                judge(attack, into: &scores)
            }
        }
        return scores
    }

    private func judge(_ attack: InjectedAttack, into scores: inout AttackScores) {
        let outcomes = outcomes(of: attack, options.settings)
        let hits = BaselineRules.hits(attack.trace)
        var result = AttackResult(attack, outcomes, hits)
        if options.triesSignalsAlone { result.detectingSignals = signalsDetecting(attack) }
        var windows = MatchedWindows()
        windows.addForged(outcomes, hits, in: attack.range)
        let honest = InjectedAttack(honestAt: attack.site)
        var run = EvaluatedRun(settings: options.settings)
        windows.addHonest(run.judge(honest.trace), BaselineRules.hits(honest.trace), in: honest.range)
        scores.add(
            result,
            attack.site.host.hasMotionFields ? FieldWindows(complete: windows) : FieldWindows(others: windows))
    }

    private func outcomes(of attack: InjectedAttack, _ settings: TrackingSettings) -> [FixOutcome] {
        var run = EvaluatedRun(settings: settings)
        if let prelude = attack.prelude {
            _ = run.judge(prelude)
            if options.fillsMemory, let from = prelude.receivedAt.last {
                run.hearOthers(hours: 1, from: from, to: attack.trace.receivedAt[0], seed: options.seed)
            }
        }
        return run.judge(attack.trace)
    }

    /// The signals that detect an attack while the others are silent.
    private func signalsDetecting(_ attack: InjectedAttack) -> Set<SpoofSignal> {
        Set(
            SpoofSignal.allCases.filter { signal in
                let outcomes = outcomes(of: attack, signal.alone(in: options.settings))
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
