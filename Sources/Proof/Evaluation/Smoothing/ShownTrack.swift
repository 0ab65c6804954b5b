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
        judged(trace, settings: settings) { judgement, _ in
            judgement.estimate.map { Position(coordinate: $0.coordinate, accuracyMeters: $0.accuracyMeters) }
        }
    }

    /// What riders are told of a ride along a route, from the first fix with a reference to the last.
    static func told(_ trace: RecordedTrace, on route: MapRoute, settings: TrackingSettings) -> ShownTrack {
        var trip: ActiveTrip?
        var index = -1
        return judged(trace, settings: settings) { judgement, streamTime in
            index += 1
            guard let estimate = judgement.estimate else { return nil }
            let own = Position(coordinate: estimate.coordinate, accuracyMeters: estimate.accuracyMeters)
            if trip == nil, trace.truth[index] != nil {
                trip = ActiveTrip(
                    route.trip(of: trace, at: streamTime), estimator: ArrivalEstimator(), at: streamTime)
            }
            guard let trip else { return own }
            trip.update(
                position: TripEta.Position(
                    coordinate: estimate.coordinate, headingDegrees: estimate.headingDegrees,
                    speedMetersPerSecond: estimate.speedMetersPerSecond, accuracyMeters: estimate.accuracyMeters,
                    fixedAt: streamTime),
                isHalted: estimate.isHalted, confidence: estimate.confidence, occupancyPercent: nil, at: streamTime)
            return trip.eta(at: streamTime).position.map {
                Position(coordinate: $0.coordinate, accuracyMeters: $0.accuracyMeters)
            } ?? own
        }
    }

    /// Judges the trace, and shows what `position` makes of each judgement and its stream time.
    private static func judged(
        _ trace: RecordedTrace, settings: TrackingSettings, _ position: (Judgement, Timestamp) -> Position?
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
            track.show(position(judgement, streamTime))
        }
        return track
    }
}
