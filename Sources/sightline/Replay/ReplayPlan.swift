import ArgumentParser
import Recordings
import Support

/// How fast a recording is sent.
enum ReplaySpeed: Equatable, ExpressibleByArgument {
    /// This many times as fast as it was recorded.
    case times(Double)
    /// As fast as the broker takes it.
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
        case .times(let factor): factor == factor.rounded() ? String(Int(factor)) : String(factor)
        case .unlimited: "max"
        }
    }
}

/// When each record of a recording is sent, and by how much its times are moved.
struct ReplayPlan {
    /// How far ahead of the clock a record may lie, in seconds.
    ///
    /// A recording that is sent over and over faster than it was made would run ahead; its next round waits. Brokers
    /// refuse records from the future, by default beyond an hour.
    static let furthestAheadSeconds = 600.0

    /// What of the recording is left as it is.
    struct Kept {
        var times = false
        var session = false
        var positions = false
    }

    private let survey: RecordedFile.Survey
    private let speed: ReplaySpeed
    private let kept: Kept
    /// What is changed of the recording in this round.
    private(set) var change = Resending()
    private var lastEnd: Timestamp?

    init(survey: RecordedFile.Survey, speed: ReplaySpeed, keeping kept: Kept = Kept()) {
        self.survey = survey
        self.speed = speed
        self.kept = kept
    }

    /// Begins the next round: the last fix is `now`, unless the round would overlap the one before.
    ///
    /// Each round is a session of its own, a few metres beside the others.
    mutating func begin(at now: Timestamp) {
        if !kept.session { change.sessionTag = Resending.tag(of: now) }
        if !kept.positions { change.movePositions(by: now) }
        guard !kept.times, let earliest = survey.earliest, let latest = survey.latest else { return }
        change.shiftMilliseconds = now.milliseconds - latest.milliseconds
        if let lastEnd {
            change.shiftMilliseconds = max(
                change.shiftMilliseconds, lastEnd.milliseconds + 1000 - earliest.milliseconds)
        }
        lastEnd = Timestamp(milliseconds: latest.milliseconds + change.shiftMilliseconds)
    }

    /// What is changed of the recording, and how to have it otherwise.
    var explanation: String {
        var parts: [String] = []
        if kept.times {
            parts.append("times as recorded")
        } else {
            parts.append("times moved so that the last fix is now (--keep-times leaves them)")
            if let earliest = survey.earliest, let latest = survey.latest {
                let seconds = (latest.milliseconds - earliest.milliseconds) / 1000 + 1
                parts.append(
                    "send it again after \(seconds) s at the earliest: sooner, a driver is in two places at once")
            }
        }
        if kept.session {
            parts.append("sessions as recorded")
        } else {
            parts.append("new sessions with the suffix -\(change.sessionTag) (--keep-session leaves them)")
        }
        if kept.positions {
            parts.append("positions as recorded")
        } else {
            parts.append(
                "positions moved by a few metres, so that it is not the same track again (--keep-positions leaves them)"
            )
        }
        return parts.joined(separator: "; ")
    }

    /// How long to wait so that no record lies further in the future than ``furthestAheadSeconds``.
    func waitBeforeRoundMilliseconds(now: Timestamp) -> Int {
        guard let lastEnd else { return 0 }
        return max(0, Int(lastEnd.milliseconds - now.milliseconds) - Int(Self.furthestAheadSeconds * 1000))
    }

    /// How long a record with the (moved) time `at` has still to wait, `elapsed` seconds into the round.
    ///
    /// `nil` when it is due. Records that lie before others sent already are due at once.
    func secondsUntil(_ at: Timestamp, elapsed: Double) -> Double? {
        guard case .times(let factor) = speed, let earliest = survey.earliest else { return nil }
        let due = Double(at.milliseconds - earliest.milliseconds - change.shiftMilliseconds) / 1000 / factor
        return due > elapsed ? due - elapsed : nil
    }
}
