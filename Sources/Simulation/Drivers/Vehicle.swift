import Domain
import Glibc
import Support

/// A vehicle on a path, which follows traffic, accelerates, and brakes for turns, red signals and its goal.
package struct Vehicle: Sendable {
    package struct Style: Sendable {
        package var accelerationMetersPerSecondSquared: Double
        package var brakingMetersPerSecondSquared: Double
        /// Ratio of the driver's speed to the speed that traffic allows.
        package var speedFactor: Double

        package init(random: inout RandomSource) {
            accelerationMetersPerSecondSquared = random.uniform(in: 1.1...2.0)
            brakingMetersPerSecondSquared = random.uniform(in: 1.5...2.3)
            speedFactor = random.uniform(in: 0.88...1.08)
        }
    }

    package private(set) var path: DrivePath
    package private(set) var distanceMeters = 0.0
    package private(set) var speedMetersPerSecond = 0.0
    /// Next stop, in metres from the start of the path.
    package var goalMeters: Double
    private var segment = 0
    /// Slow relative variation of the speed.
    private var swing = 0.0
    private let style: Style

    /// Distance of stop lines from a crossing.
    private static let stopLineMeters = 8.0
    /// A red signal is ignored if it requires harder braking than this, in m/s².
    private static let hardestBraking = 3.5
    /// Metres before and after a crossing over which a corner is rounded.
    private static let cornerMeters = 7.0

    package init(path: DrivePath, style: Style) {
        self.path = path
        self.style = style
        goalMeters = path.lengthMeters
    }

    package var hasArrived: Bool { distanceMeters >= goalMeters && speedMetersPerSecond == 0 }

    /// Whether the vehicle is inside a tunnel; the tunnel's ends are outside.
    package var isInTunnel: Bool {
        guard !path.isTunnel.isEmpty, path.isTunnel[segment], distanceMeters < path.distanceMeters[segment + 1] else {
            return false
        }
        return distanceMeters > path.distanceMeters[segment] || (segment > 0 && path.isTunnel[segment - 1])
    }

    /// Position of the vehicle, with rounded corners.
    package var point: TangentPlane.Point {
        let (behind, ahead) = surroundings
        let here = path.point(at: distanceMeters, from: max(0, segment - 1))
        return TangentPlane.Point(
            east: (behind.east + 2 * here.east + ahead.east) / 4,
            north: (behind.north + 2 * here.north + ahead.north) / 4)
    }

    /// Direction of the path at the vehicle, in degrees clockwise from north, [0, 360).
    package var headingDegrees: Double {
        let (behind, ahead) = surroundings
        return Geodesy.normalizedHeading(
            atan2(ahead.east - behind.east, ahead.north - behind.north) * 180 / .pi)
    }

    /// The points on the path before and after the vehicle between which corners are rounded.
    private var surroundings: (behind: TangentPlane.Point, ahead: TangentPlane.Point) {
        let hint = max(0, segment - 1)
        return (
            path.point(at: max(0, distanceMeters - Self.cornerMeters), from: hint),
            path.point(at: min(path.lengthMeters, distanceMeters + Self.cornerMeters), from: hint)
        )
    }

    /// The crossing at which the vehicle is, or the next crossing on its path.
    package var nextCrossing: Int {
        distanceMeters <= path.distanceMeters[segment]
            ? path.crossings[segment] : path.crossings[min(segment + 1, path.crossings.count - 1)]
    }

    /// Ends of the vehicle's street; `nil` while it stands at a crossing.
    package var street: (from: Int, to: Int)? {
        guard segment + 1 < path.crossings.count, distanceMeters > path.distanceMeters[segment],
            distanceMeters < path.distanceMeters[segment + 1]
        else { return nil }
        return (path.crossings[segment], path.crossings[segment + 1])
    }

    /// Continues on `newPath`, which begins with the vehicle's street or at its crossing.
    package mutating func follow(_ newPath: DrivePath) {
        let isUnderWay = street != nil
        distanceMeters = isUnderWay ? distanceMeters - path.distanceMeters[segment] : 0
        if !isUnderWay { speedMetersPerSecond = 0 }
        path = newPath
        segment = newPath.segment(at: distanceMeters, from: 0)
        goalMeters = newPath.lengthMeters
    }

    /// Moves the goal to where the vehicle can stop soon, outside of tunnels.
    package mutating func stopSoon() {
        let braking = speedMetersPerSecond * speedMetersPerSecond / (2 * style.brakingMetersPerSecondSquared)
        goalMeters = min(goalMeters, path.outsideTunnel(distanceMeters + braking + 12))
    }

    /// Drives for `seconds`, starting at `time`.
    package mutating func drive(
        seconds: Double, from time: Timestamp, in network: StreetNetwork, random: inout RandomSource
    ) {
        guard !hasArrived else { return }
        let memory = exp(-seconds / 15)
        swing = swing * memory + 0.05 * (1 - memory * memory).squareRoot() * random.normal()
        let steps = max(1, Int((seconds / 0.5).rounded(.up)))
        let step = seconds / Double(steps)
        for index in 0..<steps where !hasArrived {
            drive(step: step, at: time.advanced(bySeconds: Double(index) * step), in: network)
        }
    }

    private mutating func drive(step: Double, at time: Timestamp, in network: StreetNetwork) {
        let allowed = allowedSpeed(at: time, in: network)
        let before = speedMetersPerSecond
        let faster = before + style.accelerationMetersPerSecondSquared * step
        let slower = before - Self.hardestBraking * step
        speedMetersPerSecond = max(0, min(faster, max(slower, allowed)))
        if speedMetersPerSecond < 0.25, allowed < 0.25 { speedMetersPerSecond = 0 }
        distanceMeters += (before + speedMetersPerSecond) / 2 * step
        if goalMeters - distanceMeters < 1 {
            distanceMeters = goalMeters
            speedMetersPerSecond = 0
        }
        segment = path.segment(at: distanceMeters, from: segment)
    }

    /// Speed allowed by traffic, by turns, speeds and signals ahead, and by the goal.
    private func allowedSpeed(at time: Timestamp, in network: StreetNetwork) -> Double {
        guard !path.segmentSpeed.isEmpty else { return 0 }
        let factor = style.speedFactor * (1 + swing)
        let braking = style.brakingMetersPerSecondSquared
        let speed = speedMetersPerSecond
        func reachable(_ speedThere: Double, in distance: Double) -> Double {
            (speedThere * speedThere + 2 * braking * max(0, distance)).squareRoot()
        }
        var allowed = path.segmentSpeed[segment] * factor
        allowed = min(allowed, max(0.6, reachable(0, in: goalMeters - distanceMeters - 0.5)))
        let horizon = speed * speed / (2 * braking) + 3 * speed + 15
        var next = segment + 1
        while next + 1 < path.points.count, case let ahead = path.distanceMeters[next] - distanceMeters, ahead < horizon
        {
            allowed = min(allowed, reachable(path.segmentSpeed[next] * factor, in: ahead))
            allowed = min(allowed, reachable(path.turnSpeed[next], in: ahead - 4))
            let toStopLine = ahead - Self.stopLineMeters
            let canStop = toStopLine > 0 && speed * speed / (2 * max(toStopLine, 0.1)) < Self.hardestBraking
            if canStop, isRed(at: next, time, in: network) {
                allowed = min(allowed, toStopLine < 1.5 ? 0 : reachable(0, in: toStopLine - 1))
            }
            next += 1
        }
        return allowed
    }

    private func isRed(at index: Int, _ time: Timestamp, in network: StreetNetwork) -> Bool {
        let (before, here) = (path.points[index - 1], path.points[index])
        return network.isRed(
            crossing: path.crossings[index], eastward: here.east - before.east, northward: here.north - before.north,
            at: time)
    }
}
