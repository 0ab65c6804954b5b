import TestSupport
import Testing

@testable import Domain
@testable import Support

/// Backward smoothing from later fixes to earlier fixes.
@Suite struct BackwardEstimateTests {
    private let filter = KinematicFilter()
    private let origin = Coordinate(latitude: 48.1374, longitude: 11.5755)

    private func state(_ estimate: KinematicEstimate) -> MotionState {
        var state = MotionState()
        state.isStarted = true
        estimate.store(into: &state, plane: TangentPlane(origin: origin))
        return state
    }

    private func filtered(_ state: MotionState, _ second: Int, accuracy: Double = 10) -> FilteredFix {
        FilteredFix(state, accuracyMeters: accuracy, fixedAt: Timestamp(milliseconds: Int64(second) * 1000))
    }

    private func east(of coordinate: Coordinate) -> Double { TangentPlane(origin: origin).point(of: coordinate).east }

    @Test("backward smoothing equals least squares over all fixes", arguments: [1, 2, 3] as [UInt64])
    func leastSquares(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = 7
        let measured = (0..<count).map { 9 * Double($0) + 4 * generator.normal() }
        var estimate = KinematicEstimate(mean: SIMD4(0, 0, 5, 0), positionVariance: 100, velocityVariance: 25)
        estimate.observe(east: measured[0], north: 0, variance: 16)
        var fixes = [filtered(state(estimate), 0)]
        for index in 1..<count {
            filter.predict(&estimate, isHalted: false, seconds: 1)
            estimate.observe(east: measured[index], north: 0, variance: 16)
            fixes.append(filtered(state(estimate), index))
        }
        var backward = BackwardEstimate(fixes[count - 1])
        var smoothed = [backward]
        for fix in fixes.dropLast().reversed() {
            backward.step(to: fix, filter)
            smoothed.insert(backward, at: 0)
        }
        let expected = batchPositions(measured)
        for index in 0..<count {
            #expect(abs(east(of: smoothed[index].coordinate) - expected[index]) < 0.01, "seed \(seed), fix \(index)")
        }
    }

    /// Returns the positions along one axis that minimise the weighted squares of the whole drive.
    ///
    /// Includes the prior, all measurements and all process noise, as one system of normal equations.
    private func batchPositions(_ measured: [Double]) -> [Double] {
        let size = 2 * measured.count
        var matrix = Array(repeating: Array(repeating: 0.0, count: size + 1), count: size)
        func add(_ coefficients: [(Int, Double)], _ value: Double, weight: Double) {
            for (row, left) in coefficients {
                for (column, right) in coefficients { matrix[row][column] += weight * left * right }
                matrix[row][size] += weight * left * value
            }
        }
        add([(0, 1)], 0, weight: 1 / 100)
        add([(1, 1)], 5, weight: 1 / 25)
        for index in measured.indices { add([(2 * index, 1)], measured[index], weight: 1 / 16) }
        // Covariance added in one second, from the filter's own prediction of a known state.
        var noise = KinematicEstimate(mean: .zero, positionVariance: 0, velocityVariance: 0)
        filter.predict(&noise, isHalted: false, seconds: 1)
        let (pp, pv, vv) = (noise.row0.x, noise.row0.z, noise.row2.z)
        for index in 1..<measured.count {
            // Two independent errors: the velocity's, and the position's part that the velocity does not explain.
            let (p0, v0, p1, v1) = (2 * index - 2, 2 * index - 1, 2 * index, 2 * index + 1)
            add([(v1, 1), (v0, -1)], 0, weight: 1 / vv)
            let slope = pv / vv
            add(
                [(p1, 1), (p0, -1), (v0, -1 + slope), (v1, -slope)], 0, weight: 1 / (pp - pv * pv / vv))
        }
        return solved(matrix).enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
    }

    private func solved(_ equations: [[Double]]) -> [Double] {
        var matrix = equations
        let size = matrix.count
        for pivot in 0..<size {
            for row in 0..<size where row != pivot {
                let factor = matrix[row][pivot] / matrix[pivot][pivot]
                for column in pivot...size { matrix[row][column] -= factor * matrix[pivot][column] }
            }
        }
        return (0..<size).map { matrix[$0][size] / matrix[$0][$0] }
    }

    @Test("a later fix improves the accuracy of an earlier fix")
    func accuracy() {
        var estimate = KinematicEstimate(mean: SIMD4(0, 0, 5, 0), positionVariance: 36, velocityVariance: 4)
        let first = filtered(state(estimate), 0, accuracy: 12)
        filter.predict(&estimate, isHalted: false, seconds: 1)
        estimate.observe(east: 5, north: 0, variance: 16)
        var backward = BackwardEstimate(filtered(state(estimate), 1))
        backward.step(to: first, filter)
        let accuracy = backward.smoothedFix(radiusPerSigma: 1.51).accuracyMeters
        #expect(accuracy < 12 && accuracy > 3)
    }

    @Test("a restart of the filter at a distant position does not move earlier positions")
    func restarted() {
        let known = KinematicEstimate(mean: SIMD4(0, 0, 10, 0), positionVariance: 9, velocityVariance: 1)
        let first = filtered(state(known), 0)
        for (meters, isFollowed) in [(20.0, true), (60, false)] {
            let next = KinematicEstimate(mean: SIMD4(meters, 0, 10, 0), positionVariance: 9, velocityVariance: 1)
            var backward = BackwardEstimate(filtered(state(next), 1))
            backward.step(to: first, filter)
            #expect((abs(east(of: backward.coordinate)) > 0.001) == isFollowed)
        }
    }

    @Test("fixes out of order and gaps with a restart separate earlier from later fixes")
    func gaps() {
        let here = KinematicEstimate(mean: SIMD4(0, 0, 0, 0), positionVariance: 9, velocityVariance: 1)
        let there = KinematicEstimate(mean: SIMD4(3, 0, 0, 0), positionVariance: 9, velocityVariance: 1)
        for (second, isFollowed) in [(-1, false), (0, true), (120, true), (121, false)] {
            var backward = BackwardEstimate(filtered(state(there), second))
            backward.step(to: filtered(state(here), 0), filter)
            #expect((east(of: backward.coordinate) != 0) == isFollowed, "after \(second) s")
        }
    }

    @Test("an invalid covariance, as from damaged bytes, leaves the fix unchanged")
    func damaged() {
        var broken = MotionState()
        broken.coordinate = origin
        broken.covariance.ee = -4
        broken.covariance.uu = .infinity
        var backward = BackwardEstimate(
            filtered(state(KinematicEstimate(mean: .zero, positionVariance: 9, velocityVariance: 1)), 1))
        backward.step(to: filtered(broken, 0), filter)
        let fix = backward.smoothedFix(radiusPerSigma: 1.51)
        #expect(fix.coordinate == origin)
        #expect(fix.accuracyMeters == 10)
    }
}
