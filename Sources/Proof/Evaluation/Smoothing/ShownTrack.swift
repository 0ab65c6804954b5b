import Recordings
import Tracking

/// What a rider is shown after each fix of a trace.
package struct ShownTrack: Sendable {
    /// One position on the rider's map.
    package struct Position: Sendable {
        package var coordinate: Coordinate
        /// The 68 % radius given with it; `nil` where none was.
        package var accuracyMeters: Double?
    }

    /// Per fix; `nil` before the first estimate.
    package private(set) var positions: [Position?] = []
    /// Per fix: whether it brought an estimate of its own; without one, the last goes on being shown.
    package private(set) var isFresh: [Bool] = []

    package mutating func show(_ position: Position?) {
        positions.append(position ?? positions.last ?? nil)
        isFresh.append(position != nil)
    }
}

extension ShownTrack {
    /// The positions as the device gave them.
    package static func raw(_ trace: RecordedTrace) -> ShownTrack {
        var track = ShownTrack()
        for fix in trace.fixes {
            track.show(Position(coordinate: fix.coordinate, accuracyMeters: fix.accuracyMeters))
        }
        return track
    }

    /// What the pipeline makes of the trace: one fix at a time, each received when the device took it.
    ///
    /// The rate limit is off, for a recording's rate is its own.
    package static func judged(
        _ trace: RecordedTrace, settings: TrackingSettings = TrackingSettings()
    ) -> ShownTrack {
        var settings = settings
        settings.rate.isLimited = false
        let judge = FixJudge(settings: settings)
        var state = DriverState()
        // A chunk of track cannot be a repetition of another vehicle's here: that is another evaluation.
        var chunks = TrackMemory()
        var streamTime = Timestamp(milliseconds: .min)
        var track = ShownTrack()
        for fix in trace.fixes {
            let receivedAt = fix.deviceAt ?? streamTime
            streamTime = max(streamTime, receivedAt)
            let judgement = judge.judge(
                fix, receivedAt: receivedAt, streamTime: streamTime, state: &state, tracks: &chunks)
            track.show(
                judgement.estimate.map { Position(coordinate: $0.coordinate, accuracyMeters: $0.accuracyMeters) })
        }
        return track
    }
}
