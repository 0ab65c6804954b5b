import Domain
import Recordings
import Support

/// Positions that are visible after each fix of a trace.
package struct ShownTrack: Sendable {
    package struct Position: Sendable {
        package var coordinate: Coordinate
        /// Stated 68 % radius; `nil` if unknown.
        package var accuracyMeters: Double?
    }

    /// One per fix; `nil` before the first estimate.
    package private(set) var positions: [Position?] = []
    /// Whether each fix produced an estimate; otherwise the previous one remains visible.
    package private(set) var isFresh: [Bool] = []

    package mutating func append(_ position: Position?) {
        positions.append(position ?? positions.last ?? nil)
        isFresh.append(position != nil)
    }

    /// Replaces the position of a fix that produced an estimate, until the next such fix.
    mutating func replace(at index: Int, by position: Position) {
        positions[index] = position
        for later in positions.indices[(index + 1)...].prefix(while: { !isFresh[$0] }) { positions[later] = position }
    }
}

extension ShownTrack {
    /// Returns the positions that the device reported.
    package static func raw(_ trace: RecordedTrace) -> ShownTrack {
        var track = ShownTrack()
        for fix in trace.fixes {
            track.append(Position(coordinate: fix.coordinate, accuracyMeters: fix.accuracyMeters))
        }
        return track
    }

    /// Returns the positions of the verdicts, with each fix received at its device time and without rate limit.
    package static func smoothed(
        _ trace: RecordedTrace, settings: TrackingSettings = TrackingSettings()
    ) -> ShownTrack {
        process(trace, settings: settings) { verdict, _, _ in
            verdict.estimate.map { Position(coordinate: $0.coordinate, accuracyMeters: $0.accuracyMeters) }
        }
    }

    /// Returns the positions of the history, smoothed with the fixes of the following 15 to 30 s.
    ///
    /// At the end of the trace, where there are no later fixes, these are the positions of the verdicts.
    package static func history(
        _ trace: RecordedTrace, settings: TrackingSettings = TrackingSettings()
    ) -> ShownTrack {
        let window = FixedLagWindow<Int>(settings: settings.smoothing)
        var later: [Int: Position] = [:]
        var index = -1
        var track = process(trace, settings: settings) { verdict, state, streamTime in
            index += 1
            window.advance(to: streamTime, offset: Int64(index)) { _, index, fix in
                later[index] = Position(coordinate: fix.coordinate, accuracyMeters: fix.accuracyMeters)
            }
            window.commit()
            guard let estimate = verdict.estimate else { return nil }
            ByteSlice.withBytes(of: trace.driverID) {
                window.append(
                    FilteredFix(state.motion, accuracyMeters: estimate.accuracyMeters, fixedAt: verdict.fixedAt),
                    of: $0, label: index)
            }
            return Position(coordinate: estimate.coordinate, accuracyMeters: estimate.accuracyMeters)
        }
        for (index, position) in later { track.replace(at: index, by: position) }
        return track
    }

    /// Returns the positions that riders of a trip along a route see, from the first fix with a reference.
    static func published(_ trace: RecordedTrace, on route: MapRoute, settings: TrackingSettings) -> ShownTrack {
        var trip: ActiveTrip?
        var index = -1
        return process(trace, settings: settings) { verdict, _, streamTime in
            index += 1
            guard let estimate = verdict.estimate else { return nil }
            let own = Position(coordinate: estimate.coordinate, accuracyMeters: estimate.accuracyMeters)
            if trip == nil, trace.truth[index] != nil {
                trip = ActiveTrip(route.trip(of: trace, at: streamTime), estimator: ArrivalEstimator(), at: streamTime)
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

    /// Evaluates the trace and appends the result of `position` for each verdict, driver state and stream time.
    private static func process(
        _ trace: RecordedTrace, settings: TrackingSettings,
        _ position: (VerdictResult, DriverState, Timestamp) -> Position?
    ) -> ShownTrack {
        var settings = settings
        settings.rate.isLimited = false
        let detector = SpoofDetector(settings: settings)
        var state = DriverState()
        // Each trace has its own track memory, because repeated tracks are not evaluated here.
        var tracks = TrackMemory()
        var streamTime = Timestamp(milliseconds: .min)
        var track = ShownTrack()
        for fix in trace.fixes {
            let receivedAt = fix.deviceAt ?? streamTime
            streamTime = max(streamTime, receivedAt)
            let verdict = detector.evaluate(
                fix, receivedAt: receivedAt, streamTime: streamTime, state: &state, tracks: &tracks)
            track.append(position(verdict, state, streamTime))
        }
        return track
    }
}
