import Domain
import Recordings
import Support

/// Drives with constant motion: at 15 m/s without noise, and parked.
package enum RampAndParking {
    /// Returns the mean lag in metres at 15 m/s without noise, after twenty fixes; negative if the position is ahead.
    package static func lagMeters(
        every intervalSeconds: Double, givesSpeed: Bool, settings: TrackingSettings = TrackingSettings()
    ) -> Double {
        let plane = TangentPlane(origin: SimulatedReceiver().origin)
        var trace = RecordedTrace(id: "ramp", driverID: "ramp")
        let east = (0..<200).map { 15 * intervalSeconds * Double($0) }
        for (index, meters) in east.enumerated() {
            var fix = Fix(coordinate: plane.coordinate(of: TangentPlane.Point(east: meters, north: 0)))
            fix.deviceAt = Timestamp(milliseconds: 1_700_000_000_000)
                .advanced(bySeconds: intervalSeconds * Double(index))
            fix.accuracyMeters = 8
            fix.contentHash = UInt64(index)
            if givesSpeed {
                fix.speedMetersPerSecond = 15
                fix.headingDegrees = 90
            }
            trace.fixes.append(fix)
            trace.truth.append(fix.coordinate)
            trace.isSpoofed.append(false)
        }
        let shown = ShownTrack.smoothed(trace, settings: settings)
        let lags = (20..<east.count).compactMap { index in
            shown.positions[index].map { east[index] - plane.point(of: $0.coordinate).east }
        }
        return lags.reduce(0, +) / Double(max(1, lags.count))
    }

    /// Returns the ratio of smoothed to raw path length of a vehicle that is parked for half an hour.
    ///
    /// The noise is 8 m per axis. The first minute is excluded, because the filter must first detect the halt.
    package static func parkedPathShare(
        seed: UInt64, givesSpeed: Bool, noise: SimulatedReceiver.Noise = .correlated,
        settings: TrackingSettings = TrackingSettings()
    ) -> Double {
        var receiver = SimulatedReceiver()
        receiver.noise = noise
        receiver.sigmaMeters = 8
        receiver.givesSpeed = givesSpeed
        let trace = receiver.trace(of: SimulatedDrive(parkedSeconds: 1800), seed: seed)
        let shown = ShownTrack.smoothed(trace, settings: settings)
        return path(shown) / path(.raw(trace))
    }

    private static func path(_ track: ShownTrack) -> Double {
        let points = track.positions.dropFirst(60).compactMap { $0?.coordinate }
        return zip(points, points.dropFirst()).reduce(0) { $0 + Geodesy.distanceMeters(from: $1.0, to: $1.1) }
    }
}
