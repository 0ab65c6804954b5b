import Domain
import Recordings
import Support

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

    /// Puts another position in the place of a fresh one; it is shown until the next fresh one.
    mutating func replace(at index: Int, by position: Position) {
        positions[index] = position
        for later in positions.indices[(index + 1)...].prefix(while: { !isFresh[$0] }) { positions[later] = position }
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
        judged(trace, settings: settings) { judgement, _, _ in
            judgement.estimate.map { Position(coordinate: $0.coordinate, accuracyMeters: $0.accuracyMeters) }
        }
    }

    /// What the history keeps: each position smoothed with the fixes of the 15 to 30 s after it.
    ///
    /// At the end of the trace, where no later fixes are, the positions that were shown.
    package static func smoothedLater(
        _ trace: RecordedTrace, settings: TrackingSettings = TrackingSettings()
    ) -> ShownTrack {
        let window = FixedLagWindow<Int>(settings: settings.smoothing)
        var later: [Int: Position] = [:]
        var index = -1
        var track = judged(trace, settings: settings) { judgement, state, streamTime in
            index += 1
            window.advance(to: streamTime, offset: Int64(index)) { _, index, fix in
                later[index] = Position(coordinate: fix.coordinate, accuracyMeters: fix.accuracyMeters)
            }
            window.commit()
            guard let estimate = judgement.estimate else { return nil }
            ByteSlice.withBytes(of: trace.driverID) {
                window.append(
                    FilteredFix(
                        state.motion, accuracyMeters: estimate.accuracyMeters, fixedAt: judgement.fixedAt),
                    of: $0, label: index)
            }
            return Position(coordinate: estimate.coordinate, accuracyMeters: estimate.accuracyMeters)
        }
        for (index, position) in later { track.replace(at: index, by: position) }
        return track
    }

    /// What riders are told of a ride along a route, from the first fix with a reference to the last.
    static func told(_ trace: RecordedTrace, on route: MapRoute, settings: TrackingSettings) -> ShownTrack {
        var trip: ActiveTrip?
        var index = -1
        return judged(trace, settings: settings) { judgement, _, streamTime in
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

    /// Judges the trace, and shows what `position` makes of each judgement, the state after it and its stream time.
    private static func judged(
        _ trace: RecordedTrace, settings: TrackingSettings,
        _ position: (VerdictResult, DriverState, Timestamp) -> Position?
    ) -> ShownTrack {
        var settings = settings
        settings.rate.isLimited = false
        let judge = SpoofDetector(settings: settings)
        var state = DriverState()
        // A chunk of track cannot be a repetition of another vehicle's here: that is another evaluation.
        var chunks = TrackMemory()
        var streamTime = Timestamp(milliseconds: .min)
        var track = ShownTrack()
        for fix in trace.fixes {
            let receivedAt = fix.deviceAt ?? streamTime
            streamTime = max(streamTime, receivedAt)
            let judgement = judge.evaluate(
                fix, receivedAt: receivedAt, streamTime: streamTime, state: &state, tracks: &chunks)
            track.show(position(judgement, state, streamTime))
        }
        return track
    }
}
