/// A trace of an honest drive with an injected attack.
struct InjectedAttack: Sendable {
    var kind: AttackKind
    /// Honest driving, the attack and, depending on the kind, honest driving again.
    var trace: ReceivedTrace
    /// Forged fixes in ``trace``.
    var range: Range<Int>
    /// Replaced stretch of the host.
    let site: AttackSite
    /// Original of a replay, driven an hour before.
    var prelude: ReceivedTrace?

    /// Honest driving before an attack, in seconds; less if the host has a shorter lead.
    static let leadSeconds = 300.0
    /// Honest driving after an attack in seconds; longer if that time has too few fixes.
    static let tailSeconds = 60.0
    /// Honest fixes after an attack in which a detection still counts.
    static let afterFixes = 10

    /// Fixes in which a detection counts.
    var watched: Range<Int> { range.lowerBound..<min(trace.fixes.count, range.upperBound + Self.afterFixes) }

    /// Replaces the fixes of `site` by `forged`, and drops honest fixes measured before the last forged fix.
    ///
    /// `from` is the first of the host's fixes in the trace. Sequence numbers continue.
    init(_ kind: AttackKind, at site: AttackSite, forged: [ForgedFix], from: Int? = nil) {
        self.kind = kind
        self.site = site
        let host = site.host
        let start = site.range.lowerBound
        let first = from ?? host.index(atOrAfter: host.seconds[start] - Self.leadSeconds, from: 0)
        var trace = ReceivedTrace(name: host.trace.name, origin: host.trace.origin)
        for index in first..<start { trace.append(host.trace.fixes[index], receivedAt: host.trace.receivedAt[index]) }
        var sequence = host.trace.fixes[start - 1].sequence
        var latest = host.trace.receivedAt[start - 1]
        for var item in forged {
            sequence = sequence.map { $0 + 1 }
            item.fix.sequence = sequence
            latest = max(latest, item.receivedAt)
            trace.append(item.fix, receivedAt: latest, isForged: true)
        }
        range = start - first..<trace.fixes.count
        if kind.endsHonestly {
            Self.appendTail(of: host, from: site.range.upperBound, sequence: sequence, to: &trace)
        }
        self.trace = trace
    }

    /// Makes the same trace without an attack.
    init(honestAt site: AttackSite) {
        let forged = site.range.map {
            ForgedFix(fix: site.host.trace.fixes[$0], receivedAt: site.host.trace.receivedAt[$0])
        }
        self.init(.noAttack, at: site, forged: forged)
    }

    private static func appendTail(
        of host: AttackHost, from start: Int, sequence: Int64?, to trace: inout ReceivedTrace
    ) {
        let last = trace.measuredAt(trace.fixes.count - 1)
        let latest = trace.receivedAt[trace.receivedAt.count - 1]
        let forgedEnd = trace.fixes.count
        // Sequence numbers are shifted to continue after the last forged fix, and keep their gaps.
        var shift: Int64?
        for index in start..<host.trace.fixes.count {
            var fix = host.trace.fixes[index]
            guard host.trace.measuredAt(index) > last else { continue }
            let isLate = host.seconds[index] > host.seconds[start] + tailSeconds
            if isLate, trace.fixes.count - forgedEnd > afterFixes { break }
            if let sequence, let own = fix.sequence {
                shift = shift ?? sequence + 1 - own
                fix.sequence = own + (shift ?? 0)
            }
            trace.append(fix, receivedAt: max(latest, host.trace.receivedAt[index]))
        }
    }
}
