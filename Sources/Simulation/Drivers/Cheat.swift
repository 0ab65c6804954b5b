import Domain
import Glibc
import Support

/// Forgery of a driver's fixes, in windows during trips, between honest periods.
struct Cheat: Sendable {
    /// Result for one fix.
    enum Outcome: Sendable {
        case honest
        /// The app is closed and sends nothing.
        case silent
        case forged(ReportedFix)
    }

    /// An honest fix with the data needed to forge it.
    struct Observation {
        var fix: ReportedFix
        var point: TangentPlane.Point
        var plane: TangentPlane
        var time: Timestamp
        var isMoving: Bool
    }

    let kind: CheatKind
    /// Whether a window is open.
    private(set) var isCheating = false

    private var earliestWindowAt: Timestamp
    private var windowEndsAt: Timestamp
    private var honestFixes = 0
    private var forgedFixes = 0
    private var bearing = 0.0
    private var magnitude = 0.0
    private var teleportPoint = TangentPlane.Point(east: 0, north: 0)
    private var track: [ReportedFix] = []
    private var silentUntil: Timestamp?

    /// Number of fixes of a replayed track, each at least ``trackStepMeters`` from the previous one.
    ///
    /// The steps exclude standing and crawling, in which a replay cannot be recognised. Spoof detection needs two
    /// repeated chunks in a row. A chunk has at least 5 fixes and then ends at one fix in 4, so 999 of 1,000 tracks of
    /// 60 fixes contain two chunks.
    static let trackFixes = 60
    static let trackStepMeters = 10.0
    /// Time for which the app stays closed before and after a replay, in seconds.
    ///
    /// Long enough for a vehicle to return to the start of the track, so that only the repetition proves the forgery.
    /// The track's fixes are then over a minute old when repeated; younger fixes would count as retries.
    static let silenceSeconds = 30.0
    /// Honest fixes of a trip before a window, more than spoof detection's grace period of five fixes.
    private static let honestLead = 10

    init(kind: CheatKind, start: Timestamp, random: inout RandomSource) {
        self.kind = kind
        earliestWindowAt = start.advanced(bySeconds: random.uniform(in: 8...18))
        windowEndsAt = earliestWindowAt
    }

    /// Ends an open window, because the trip or the satellite reception ended.
    mutating func interrupt(at time: Timestamp, random: inout RandomSource) {
        if isCheating { close(at: time, random: &random) }
        track.removeAll(keepingCapacity: true)
        honestFixes = 0
    }

    /// Decides whether the next fix is sent unchanged, forged or not at all.
    mutating func outcome(of observation: Observation, random: inout RandomSource) -> Outcome {
        let time = observation.time
        if let silent = silentUntil {
            guard time >= silent else { return .silent }
            silentUntil = nil
            if kind == .replayedTrack, track.count == Self.trackFixes { open(observation, random: &random) }
        }
        if isCheating, time >= windowEndsAt || (kind == .replayedTrack && forgedFixes == track.count) {
            close(at: time, random: &random)
            if kind == .replayedTrack {
                silentUntil = time.advanced(bySeconds: Self.silenceSeconds)
                return .silent
            }
        }
        if !isCheating, kind != .replayedTrack, honestFixes >= Self.honestLead, time >= earliestWindowAt,
            observation.isMoving
        {
            open(observation, random: &random)
        }
        guard isCheating else {
            honestFixes += 1
            if kind == .replayedTrack { record(observation) }
            return .honest
        }
        forgedFixes += 1
        return .forged(forge(observation))
    }

    private mutating func open(_ observation: Observation, random: inout RandomSource) {
        isCheating = true
        forgedFixes = 0
        windowEndsAt = observation.time.advanced(bySeconds: random.uniform(in: 30...60))
        bearing = random.uniform(in: 0...(2 * .pi))
        switch kind {
        case .teleport: magnitude = random.uniform(in: 3000...6000)
        case .impossibleSpeed: magnitude = random.uniform(in: 190...270)
        case .mockFlag: magnitude = random.uniform(in: 1...3)
        case .zeroAccuracy: magnitude = 0
        case .replayedTrack: windowEndsAt = observation.time.advanced(bySeconds: 3600)
        }
        teleportPoint = moved(observation.point, by: magnitude)
    }

    private mutating func close(at time: Timestamp, random: inout RandomSource) {
        isCheating = false
        honestFixes = 0
        earliestWindowAt = time.advanced(bySeconds: random.uniform(in: 60...150))
        track.removeAll(keepingCapacity: true)
    }

    /// Records the last fixes of the drive; a complete track closes the app before the replay.
    private mutating func record(_ observation: Observation) {
        if let last = track.last {
            let step = Geodesy.distanceMeters(from: last.coordinate, to: observation.fix.coordinate)
            guard step >= Self.trackStepMeters else { return }
        }
        track.append(observation.fix)
        if track.count > Self.trackFixes { track.removeFirst() }
        guard track.count == Self.trackFixes, observation.time >= earliestWindowAt else { return }
        silentUntil = observation.time.advanced(bySeconds: Self.silenceSeconds)
    }

    private func moved(_ point: TangentPlane.Point, by meters: Double) -> TangentPlane.Point {
        TangentPlane.Point(east: point.east + sin(bearing) * meters, north: point.north + cos(bearing) * meters)
    }

    private func forge(_ observation: Observation) -> ReportedFix {
        var fix = observation.fix
        let reported = observation.plane.point(of: fix.coordinate)
        switch kind {
        case .teleport:
            let error = (reported.east - observation.point.east, reported.north - observation.point.north)
            fix.coordinate =
                observation.plane.coordinate(
                    of: TangentPlane.Point(east: teleportPoint.east + error.0, north: teleportPoint.north + error.1)
                ).rounded
            fix.speedMetersPerSecond = 0
            fix.headingDegrees = nil
        case .impossibleSpeed:
            // Five fixes out and five back, repeatedly.
            let phase = (forgedFixes - 1) % 10
            let steps = Double(phase < 5 ? phase + 1 : 9 - phase)
            fix.coordinate = observation.plane.coordinate(of: moved(reported, by: magnitude * steps)).rounded
        case .mockFlag:
            fix.isMock = true
            let drift = min(200, magnitude * Double(forgedFixes))
            fix.coordinate = observation.plane.coordinate(of: moved(reported, by: drift)).rounded
        case .zeroAccuracy:
            fix.accuracyMeters = 0
        case .replayedTrack:
            let old = track[forgedFixes - 1]
            fix.coordinate = old.coordinate
            fix.accuracyMeters = old.accuracyMeters
            fix.speedMetersPerSecond = old.speedMetersPerSecond
            fix.headingDegrees = old.headingDegrees
            fix.altitudeMeters = old.altitudeMeters
        }
        return fix
    }
}
