import ArgumentParser
import Recordings
import Support

/// Speed at which a replay sends the records.
enum ReplaySpeed: Equatable, ExpressibleByArgument {
    /// A factor of the recorded speed.
    case times(Double)
    /// As fast as the broker accepts records.
    case unlimited

    init?(argument: String) {
        if argument == "max" {
            self = .unlimited
        } else if let factor = Double(argument), factor > 0, factor.isFinite {
            self = .times(factor)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .times(let factor): Int(exactly: factor).map(String.init) ?? String(factor)
        case .unlimited: "max"
        }
    }
}

/// The send times of a recording's records, and the changes to them.
struct ReplayPlan {
    /// Maximum time in seconds by which a record may be dated ahead of the current time.
    ///
    /// Rounds of a loop that sends faster than recorded are dated further and further ahead, so that later rounds must
    /// wait. Brokers reject records that are too far in the future, by default an hour.
    static let furthestAheadSeconds = 600.0

    /// Parts of the recording that are not changed.
    struct Kept {
        var times = false
        var session = false
        var positions = false
    }

    private let survey: RecordedFile.Survey
    private let speed: ReplaySpeed
    private let kept: Kept
    /// Changes to the records of the current round.
    private(set) var change = ReplayTransform()
    private var lastEnd: Timestamp?

    init(survey: RecordedFile.Survey, speed: ReplaySpeed, keeping kept: Kept = Kept()) {
        (self.survey, self.speed, self.kept) = (survey, speed, kept)
    }

    /// Starts the next round: dates its last fix `now`, or later if the round would overlap the previous one.
    ///
    /// Each round has new sessions and a new shift of positions.
    mutating func begin(at now: Timestamp) {
        if !kept.session { change.sessionTag = ReplayTransform.tag(of: now) }
        if !kept.positions { change.movePositions(by: now) }
        guard !kept.times, let earliest = survey.earliest, let latest = survey.latest else { return }
        change.shiftMilliseconds = now.milliseconds - latest.milliseconds
        if let lastEnd {
            change.shiftMilliseconds = max(
                change.shiftMilliseconds, lastEnd.milliseconds + 1000 - earliest.milliseconds)
        }
        lastEnd = Timestamp(milliseconds: latest.milliseconds + change.shiftMilliseconds)
    }

    /// Description of the changes and of the options that disable them.
    var explanation: String {
        var parts: [String] = []
        if kept.times {
            parts.append("times as recorded")
        } else {
            parts.append("times shifted so that the last fix is now (--keep-times keeps them)")
            if let earliest = survey.earliest, let latest = survey.latest {
                let seconds = (latest.milliseconds - earliest.milliseconds) / 1000 + 1
                parts.append(
                    "send it again after \(seconds) s at the earliest, or a driver is in two places at the same time")
            }
        }
        if kept.session {
            parts.append("sessions as recorded")
        } else {
            parts.append("new sessions with the suffix -\(change.sessionTag) (--keep-session keeps them)")
        }
        if kept.positions {
            parts.append("positions as recorded")
        } else {
            parts.append(
                "positions shifted by a few metres, because repeated tracks are rejected (--keep-positions keeps them)"
            )
        }
        return parts.joined(separator: "; ")
    }

    /// Returns the wait before a round, so that no record is further ahead than ``furthestAheadSeconds``.
    func waitBeforeRoundMilliseconds(now: Timestamp) -> Int {
        guard let lastEnd else { return 0 }
        return max(0, Int(lastEnd.milliseconds - now.milliseconds) - Int(Self.furthestAheadSeconds * 1000))
    }

    /// Returns the seconds until a record is due; `nil` if it is due.
    ///
    /// `at`: the shifted time of the record. `elapsed`: seconds since the start of the round. A record dated
    /// before the previous one is due at once.
    func secondsUntil(_ at: Timestamp, elapsed: Double) -> Double? {
        guard case .times(let factor) = speed, let earliest = survey.earliest else { return nil }
        let due = Double(at.milliseconds - earliest.milliseconds - change.shiftMilliseconds) / 1000 / factor
        return due > elapsed ? due - elapsed : nil
    }
}

extension RecordSender {
    /// Sends the records of a file as planned, until the end of the file or of `seconds`, or a stop request.
    ///
    /// Calls `poll` regularly, and `willSend` before each record, with the number of records sent before it.
    /// - Returns: the number of records sent.
    @discardableResult
    func replay(
        _ file: RecordedFile, _ plan: ReplayPlan, seconds: Double? = nil, stop: StopSignal, poll: () throws -> Void,
        willSend: (RecordedFile.Record, Int) -> Void
    ) throws -> Int {
        struct Stopped: Error {}
        let began = ContinuousClock.now
        var sent = 0
        do {
            try file.forEach(plan.change) { record in
                while case let elapsed = began.duration(to: .now) / .seconds(1) {
                    if stop.isRaised || seconds.map({ elapsed >= $0 }) ?? false { throw Stopped() }
                    guard let wait = plan.secondsUntil(record.at, elapsed: elapsed) else { break }
                    try poll()
                    stop.wait(milliseconds: Int(min(wait, 0.2) * 1000) + 1)
                }
                willSend(record, sent)
                let isSent = try sendRaw(
                    key: record.key, value: record.value, timestamp: record.at, shouldGiveUp: { stop.isRaised })
                guard isSent else { throw Stopped() }
                sent += 1
                if sent % 256 == 0 { try poll() }
            }
        } catch is Stopped {}
        return sent
    }
}
