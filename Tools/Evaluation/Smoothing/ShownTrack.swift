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

    /// Position after each fix; `nil` before the first estimate.
    package private(set) var positions: [Position?] = []

    /// Uses the estimate of each fix; a fix without an estimate leaves the previous position visible.
    init(_ estimates: [Position?]) {
        for estimate in estimates { positions.append(estimate ?? positions.last ?? nil) }
    }
}

extension ShownTrack {
    package static func raw(_ trace: RecordedTrace) -> ShownTrack {
        ShownTrack(trace.fixes.map { Position(coordinate: $0.coordinate, accuracyMeters: $0.accuracyMeters) })
    }

    /// Returns the positions of the verdicts, with each fix received at its device time and without rate limit.
    package static func smoothed(_ trace: RecordedTrace) -> ShownTrack {
        ShownTrack(
            estimates(of: trace) { verdict, _, _ in
                verdict.estimate.map { Position(coordinate: $0.coordinate, accuracyMeters: $0.accuracyMeters) }
            })
    }

    /// Returns the positions of the history, smoothed with the fixes of the following 15 to 30 s.
    ///
    /// At the end of the trace, where there are no later fixes, these are the positions of the verdicts.
    package static func history(_ trace: RecordedTrace) -> ShownTrack {
        let window = FixedLagWindow<Int>(settings: TrackingSettings().smoothing)
        var later: [Int: Position] = [:]
        var index = -1
        var shown = estimates(of: trace) { verdict, state, streamTime in
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
        for (index, position) in later { shown[index] = position }
        return ShownTrack(shown)
    }

    /// Returns the positions that riders of a trip along a route see, from the first fix with a reference.
    static func published(_ trace: RecordedTrace, on route: MapRoute) -> ShownTrack {
        var trip: ActiveTrip?
        var index = -1
        let shown = estimates(of: trace) { verdict, _, streamTime -> Position? in
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
        return ShownTrack(shown)
    }

    /// Evaluates the trace; returns the result of `position` for each verdict, driver state and stream time.
    private static func estimates(
        of trace: RecordedTrace, _ position: (VerdictResult, DriverState, Timestamp) -> Position?
    ) -> [Position?] {
        var settings = TrackingSettings()
        settings.rate.isLimited = false
        let detector = SpoofDetector(settings: settings)
        var state = DriverState()
        // Each trace has its own track memory, because repeated tracks are not evaluated here.
        var tracks = TrackMemory()
        var streamTime = Timestamp(milliseconds: .min)
        return trace.fixes.map { fix in
            let receivedAt = fix.deviceAt ?? streamTime
            streamTime = max(streamTime, receivedAt)
            let verdict = detector.evaluate(
                fix, receivedAt: receivedAt, streamTime: streamTime, state: &state, tracks: &tracks)
            return position(verdict, state, streamTime)
        }
    }
}
