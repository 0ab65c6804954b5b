import Domain
import Support

/// Scope of a measurement of spoof detection.
package struct SpoofingOptions: Sendable {
    /// Attacks of each kind.
    package var attacks = 200
    package var kinds = AttackKind.allCases
    package var seed: UInt64 = 1
    /// Half of the traces to evaluate.
    package var half = EvaluationHalf.all
    /// Simulated driver-hours.
    package var simulatedHours = 0
    /// Towns with a jammed quarter.
    package var jammedTowns = 0
    /// Whether each attack is evaluated again for every signal, with the weights of all others set to 0.
    package var triesSignalsAlone = false
    /// Intervals in seconds to which hosts, the traces with injected attacks, are thinned.
    package var samplings: [Double] = [1, 4, 20]
    /// Whether the partition remembers an hour of other drivers' tracks, as under full load.
    package var fillsMemory = true
}

/// Measures the spoof detector on honest recordings and simulations, and on injected attacks.
///
/// Deterministic: the same recordings and options give the same report.
package struct SpoofingEvaluation {
    private let options: SpoofingOptions
    private let progress: (String) -> Void
    private var report: SpoofingReport
    private var honestTotal = HonestTally(name: "all recordings")
    private var hosts = AttackHosts()

    /// Makes the report; `progress` receives a line for each step.
    package static func report(
        on recordings: [NamedRecording], _ options: SpoofingOptions, progress: @escaping (String) -> Void = { _ in }
    ) -> SpoofingReport {
        var evaluation = SpoofingEvaluation(options: options, progress: progress)
        for recording in recordings { evaluation.evaluate(recording) }
        if options.simulatedHours > 0 { evaluation.simulate() }
        if options.attacks > 0 { evaluation.attack() }
        if options.jammedTowns > 0 {
            progress("\(options.jammedTowns) jammed towns")
            evaluation.report.jamming = JammingTally.measure(towns: options.jammedTowns, seed: options.seed)
        }
        return evaluation.report
    }

    private init(options: SpoofingOptions, progress: @escaping (String) -> Void) {
        self.options = options
        self.progress = progress
        report = SpoofingReport(seed: options.seed, half: options.half)
    }

    /// Evaluates an unchanged recording; traces with a recorded attack are counted separately.
    private mutating func evaluate(_ recording: NamedRecording) {
        progress("evaluating \(recording.name)")
        let traces = recording.traces.filter { options.half.contains(trace: $0.name) }
        guard !traces.isEmpty else { return }
        var run = EvaluatedRun()
        if let start = traces.compactMap(\.receivedAt.first).min() { fill(&run, until: start) }
        var tally = HonestTally(name: recording.name)
        var attacks = RecordedAttackTally(name: recording.name)
        for (trace, outcomes) in zip(traces, run.evaluate(traces)) {
            if trace.hasForgedFixes {
                attacks.add(trace, outcomes)
            } else {
                let hits = BaselineRules.hits(trace)
                tally.add(trace, outcomes, hits)
                honestTotal.add(trace, outcomes, hits)
            }
        }
        if tally.traces > 0 {
            report.honest.append(tally)
            report.honestTotal = honestTotal
        }
        if attacks.attacks > 0 {
            report.recordedAttacks.append(attacks)
        } else {
            hosts.add(traces.compactMap { AttackHost($0) }, from: recording.name)
        }
    }

    /// Maximum number of simulated hosts, to limit the memory.
    private static let simulatedHosts = 48

    /// Evaluates honest hours in a simulated town; drives with even numbers are for fitting, odd numbers for checking.
    private mutating func simulate() {
        var fleet = SimulatedFleet(seed: options.seed)
        // All drives share one partition.
        var run = EvaluatedRun()
        var tally = HonestTally(name: SimulatedFleet.origin)
        var candidates: [AttackHost] = []
        for hour in 0..<options.simulatedHours {
            if hour % 100 == 0 { progress("simulated hour \(hour) of \(options.simulatedHours)") }
            let number = options.half == .all ? hour : 2 * hour + (options.half == .fit ? 0 : 1)
            let trace = fleet.drive(number)
            if hour == 0, let start = trace.receivedAt.first { fill(&run, until: start) }
            tally.add(trace, run.evaluate(trace), BaselineRules.hits(trace))
            if candidates.count < Self.simulatedHosts, let host = AttackHost(trace) { candidates.append(host) }
        }
        report.simulated = tally
        hosts.add(candidates, from: SimulatedFleet.origin)
    }

    /// Fills the track memory, so that false matches of honest tracks are also measured.
    private func fill(_ run: inout EvaluatedRun, until time: Timestamp) {
        guard options.fillsMemory else { return }
        run.fillTrackMemory(from: time.advanced(bySeconds: -3600), to: time, seed: options.seed)
    }
}

// MARK: - Attacks

extension SpoofingEvaluation {
    /// Measures attacks on all hosts and on hosts thinned to each sampling interval.
    private mutating func attack() {
        report.hosts = Dictionary(hosts.origins.map { ($0.name, $0.hosts.count) }, uniquingKeysWith: +)
        let (kinds, pooled, delays) = attack(hosts)
        report.kinds = kinds
        report.pooled = SpoofingReport.Pooled(pooled)
        report.firstGroupMedianDelayFixes = delays.sorted().quantile(0.5)
        for seconds in options.samplings {
            let hosts = hosts.thinned(to: seconds)
            progress("a fix every \(Int(seconds)) s")
            report.samplings.append(
                SpoofingReport.Sampling(seconds: seconds, hosts: hosts.count, kinds: attack(hosts).kinds))
        }
    }

    private func attack(
        _ hosts: AttackHosts
    ) -> (kinds: [SpoofingReport.Kind], pooled: MatchedWindows, firstGroupDelays: [Int]) {
        var kinds: [SpoofingReport.Kind] = []
        var pooled = MatchedWindows()
        var delays: [Int] = []
        for kind in options.kinds where hosts.count > 0 {
            progress("\(options.attacks) attacks: \(kind.rawValue)")
            var results: [AttackResult] = []
            var windows = MatchedWindows()
            for number in 0..<options.attacks {
                guard let attack = hosts.draw(kind, number: number, seed: options.seed) else { continue }
                results.append(evaluate(attack, &windows))
            }
            guard !results.isEmpty else { continue }
            kinds.append(SpoofingReport.Kind(kind, results, windows))
            if kind.target != nil { pooled.add(windows) }
            if kind.isOfFirstGroup { delays += results.compactMap(\.delayFixes) }
        }
        return (kinds, pooled, delays)
    }

    private func evaluate(_ attack: InjectedAttack, _ windows: inout MatchedWindows) -> AttackResult {
        let outcomes = outcomes(of: attack)
        var result = AttackResult(attack, outcomes)
        if options.triesSignalsAlone { result.detectingSignals = signalsDetecting(attack) }
        let honest = InjectedAttack(honestAt: attack.site)
        var run = EvaluatedRun()
        windows.add(forged: attack, outcomes)
        windows.add(honest: honest, run.evaluate(honest.trace))
        return result
    }

    private func outcomes(
        of attack: InjectedAttack, _ settings: TrackingSettings = TrackingSettings()
    ) -> [FixOutcome] {
        var run = EvaluatedRun(settings: settings)
        if let prelude = attack.prelude {
            _ = run.evaluate(prelude)
            if options.fillsMemory, let from = prelude.receivedAt.last {
                run.fillTrackMemory(from: from, to: attack.trace.receivedAt[0], seed: options.seed)
            }
        }
        return run.evaluate(attack.trace)
    }

    /// Returns the signals that would each detect an attack alone.
    private func signalsDetecting(_ attack: InjectedAttack) -> [String] {
        SpoofSignal.all.filter { signal in
            let outcomes = outcomes(of: attack, signal.alone(in: TrackingSettings()))
            return attack.detection(in: outcomes, rejections: signal.rejections) != nil
        }.map(\.name)
    }
}
