import Domain
import Recordings
import Support

/// Two drives without chance in what the vehicle does: at constant speed without noise, and parked.
package enum RampAndParking {
    /// How far a noise-free vehicle at 15 m/s is seen behind where it is, in metres: the mean after twenty fixes.
    ///
    /// Ahead is negative.
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
        let shown = ShownTrack.judged(trace, settings: settings)
        let lags = (20..<east.count).compactMap { index in
            shown.positions[index].map { east[index] - plane.point(of: $0.coordinate).east }
        }
        return lags.reduce(0, +) / Double(max(1, lags.count))
    }

    /// The path of a parked vehicle's smoothed position over that of its fixes, half an hour long.
    ///
    /// Correlated noise of 8 m per axis. The first minute, in which it is noticed that the vehicle stands, is left out.
    package static func parkedPathShare(
        seed: UInt64, givesSpeed: Bool, noise: SimulatedReceiver.Noise = .correlated,
        settings: TrackingSettings = TrackingSettings()
    ) -> Double {
        var receiver = SimulatedReceiver()
        receiver.noise = noise
        receiver.sigmaMeters = 8
        receiver.givesSpeed = givesSpeed
        let trace = receiver.trace(of: SimulatedDrive(parkedSeconds: 1800), seed: seed)
        let shown = ShownTrack.judged(trace, settings: settings)
        return path(shown) / path(.raw(trace))
    }

    private static func path(_ track: ShownTrack) -> Double {
        let points = track.positions.dropFirst(60).compactMap { $0?.coordinate }
        return zip(points, points.dropFirst()).reduce(0) { $0 + Geodesy.distanceMeters(from: $1.0, to: $1.1) }
    }
}
