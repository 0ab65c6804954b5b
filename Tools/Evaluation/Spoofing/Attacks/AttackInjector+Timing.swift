import Simulation
import Support

/// Attacks that do not use the host's fix times.
extension AttackInjector {
    /// Minimum fixes and metres of a replayed stretch, so that the track can be recognised.
    private static let replayedFixes = 40
    private static let replayedSparseFixes = 20
    private static let replayedMeters = 400.0
    /// Minimum age of a replayed stretch of the host's own trace, in seconds.
    private static let replayAgeSeconds = 90.0
    /// Time between the original and its replay in the partition, in seconds.
    private static let replayDelaySeconds = 3600.0

    /// Replays an earlier stretch of the driver's own or another driver's track, with later times.
    ///
    /// Half of the attacks begin with a gap of 12 to 40 s, so that the detector tolerates the jump to the stretch and
    /// only the repetition can be detected.
    func replay(_ kind: AttackKind, _ site: AttackSite, random: inout RandomSource) -> InjectedAttack? {
        let host = site.host
        let gapSeconds = random.chance(0.5) ? random.uniform(in: 12...40) : 0
        let start = host.seconds[site.range.lowerBound] + gapSeconds
        let duration = host.seconds[site.range.upperBound] - start
        guard duration >= 45 else { return nil }
        let own = kind == .replayOwnTrack
        guard let donor = own ? host : otherHost(than: host, random: &random) else { return nil }
        // The stretch must be older than the honest fixes before the attack.
        let first = site.range.lowerBound
        let latest =
            own
            ? min(host.seconds[first] - Self.replayAgeSeconds, host.seconds[max(0, first - host.leadFixes - 1)])
            : Double.infinity
        guard let source = stretch(of: donor, lasting: duration, before: latest, random: &random) else { return nil }
        let delay = host.lastDelay(before: site.range.lowerBound)
        let begin = host.trace.measuredAt(0).advanced(bySeconds: start)
        let forged = source.map { index -> ForgedFix in
            var fix = host.masked(donor.trace.fixes[index])
            let at = begin.advanced(bySeconds: donor.seconds[index] - donor.seconds[source.lowerBound])
            fix.deviceAt = at
            fix.sessionHash = host.trace.fixes[site.range.lowerBound].sessionHash
            fix.contentHash = random.next()
            return ForgedFix(fix: fix, receivedAt: at.advanced(bySeconds: delay))
        }
        // The trace must not contain the original of the stretch, which the prelude contains.
        let lead = host.index(atOrAfter: host.seconds[site.range.lowerBound] - InjectedAttack.leadSeconds, from: 0)
        var attack = InjectedAttack(
            kind, at: site, forged: forged, from: own ? max(lead, source.upperBound) : lead)
        attack.prelude = prelude(source, of: donor, before: begin)
        return attack
    }

    private func otherHost(than host: AttackHost, random: inout RandomSource) -> AttackHost? {
        let others = hosts.filter { $0.trace.name != host.trace.name }
        return others.isEmpty ? nil : others[random.index(below: others.count)]
    }

    /// Draws a continuous, moving stretch of the given duration that ends before `latest`.
    private func stretch(
        of donor: AttackHost, lasting duration: Double, before latest: Double, random: inout RandomSource
    ) -> Range<Int>? {
        let leastFixes = donor.isSparse ? Self.replayedSparseFixes : Self.replayedFixes
        for _ in 0..<30 {
            let start = random.index(below: donor.seconds.count)
            let end = donor.index(atOrAfter: donor.seconds[start] + duration, from: start)
            guard end < donor.seconds.count, donor.seconds[end] <= latest, end - start >= leastFixes,
                donor.stretchStart[end] == donor.stretchStart[start],
                donor.extent(start..<end) >= Self.replayedMeters
            else { continue }
            return start..<end
        }
        return nil
    }

    /// Returns the original of a stretch, with times an hour before its replay at `time`.
    private func prelude(_ source: Range<Int>, of donor: AttackHost, before time: Timestamp) -> ReceivedTrace {
        var trace = ReceivedTrace(name: donor.trace.name, origin: donor.trace.origin)
        let first = max(0, source.lowerBound - 30)
        let last = min(donor.trace.fixes.count, source.upperBound + 10)
        let shift = time.advanced(bySeconds: -Self.replayDelaySeconds)
            .seconds(since: donor.trace.measuredAt(source.lowerBound))
        for index in first..<last {
            var fix = donor.trace.fixes[index]
            fix.deviceAt = donor.trace.measuredAt(index).advanced(bySeconds: shift)
            trace.append(fix, receivedAt: donor.trace.receivedAt[index].advanced(bySeconds: shift))
        }
        return trace
    }

    /// Generates realistic motion at exact intervals: the host's median interval in whole seconds.
    func rhythm(_ site: AttackSite, random: inout RandomSource) -> [ForgedFix] {
        let host = site.host
        let interval = max(1, host.medianInterval.rounded())
        let delay = host.lastDelay(before: site.range.lowerBound)
        let motion = motion(site, noiseMeters: random.uniform(in: 1...3), random: &random)
        let lastHonest = host.seconds[site.range.lowerBound - 1]
        let end = host.seconds[site.range.upperBound]
        // Times are multiples of the interval.
        let step = Int64(interval * 1000)
        let before = host.trace.measuredAt(site.range.lowerBound - 1).milliseconds
        var at = Timestamp(milliseconds: (before / step + 1) * step)
        if at.milliseconds - before < step / 2 { at.milliseconds += step }
        var forged: [ForgedFix] = []
        while case let seconds = at.seconds(since: host.trace.measuredAt(0)), seconds < end {
            var item = host.forge(site.range.lowerBound, motion(seconds - lastHonest, &random), random: &random)
            item.fix.deviceAt = at
            item.receivedAt = at.advanced(bySeconds: delay)
            forged.append(item)
            at.milliseconds += step
        }
        return forged
    }
}
