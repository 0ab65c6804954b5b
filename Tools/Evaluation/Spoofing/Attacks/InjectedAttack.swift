/// An attack put into an honest drive, ready to be judged.
struct InjectedAttack: Sendable {
    var kind: AttackKind
    /// Honest driving, the attack, and where the kind has it honest driving again.
    var trace: ReceivedTrace
    /// The forged fixes in ``trace``.
    var range: Range<Int>
    /// Where it takes place.
    let site: AttackSite
    /// What was driven an hour before, when that is what is replayed.
    var prelude: ReceivedTrace?

    /// Honest driving that the judge hears before an attack, in seconds, where the host has as much.
    static let leadSeconds = 300.0
    /// Honest driving after it, in seconds; longer where that would be too few fixes.
    static let tailSeconds = 60.0
    /// Honest fixes after an attack that may still give it away.
    static let afterFixes = 10

    /// Where a detection counts: the attack and the fixes after it.
    var watched: Range<Int> { range.lowerBound..<min(trace.fixes.count, range.upperBound + Self.afterFixes) }

    /// Puts `forged` into a host, in place of the fixes of `site` and whatever is not after the last of `forged`.
    ///
    /// `from` is the first of the host's fixes that is heard. Sequence numbers go on as the device would count them.
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

    /// The same stretch of the same host without an attack.
    init(honestAt site: AttackSite) {
        let forged = site.range.map {
            ForgedFix(fix: site.host.trace.fixes[$0], receivedAt: site.host.trace.receivedAt[$0])
        }
        self.init(.noAttack, at: site, forged: forged)
    }

    private static func appendTail(
        of host: AttackHost, from start: Int, sequence: Int64?, to trace: inout ReceivedTrace
    ) {
        let last = trace.takenAt(trace.fixes.count - 1)
        let latest = trace.receivedAt[trace.receivedAt.count - 1]
        let forgedEnd = trace.fixes.count
        // Loss in the host's own numbers stays; what the attack made more or fewer of shifts them.
        var shift: Int64?
        for index in start..<host.trace.fixes.count {
            var fix = host.trace.fixes[index]
            guard host.trace.takenAt(index) > last else { continue }
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
